// SPDX-License-Identifier: Apache-2.0

/// A property that reads a value from the environment of the running code.
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
/// Each access reads the current value from memory.
@propertyWrapper
public struct Environment<Value>: Sendable {
    // Inlinable, so that the specialised copy in a program needs no type lookup at run time.
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
