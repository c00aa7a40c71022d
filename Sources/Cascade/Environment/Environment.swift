// SPDX-License-Identifier: Apache-2.0

/// Reads a value from the surroundings of the code that is running.
///
///     struct Cart: NodeConvertible {
///         @Environment(\.triggerEvent) var triggerEvent
///         @Environment(\.currency) var currency
///
///         var node: Node {
///             Node("cart").handle(AddToCart.self) { event in
///                 try await triggerEvent(PriceRequested(item: event.item, in: currency))
///             }
///         }
///     }
///
/// Each look reads what holds now, from memory.
@propertyWrapper
public struct Environment<Value>: Sendable {
    // Inlinable, so that a program's own copy knows the type and asks no runtime about it.
    @usableFromInline let read: @Sendable (EnvironmentValues) -> Value

    @inlinable public init(_ keyPath: any KeyPath<EnvironmentValues, Value> & Sendable) {
        read = { $0[keyPath: keyPath] }
    }

    @inlinable public var wrappedValue: Value {
        read(EnvironmentValues.current)
    }
}

extension Environment: EnvironmentReading {
    var keys: [ErasedKey] {
        EnvironmentValues.keys(read)
    }
}
