// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeExpressions
import Testing

/// Rules in Swift, and the text that is sent to the bus.
@Suite struct RulesTests {
    private func text(@RuleBuilder _ rules: () -> Rules) -> String {
        Rules(rules).description
    }

    @Test func `a rule is written in the syntax of a rule file`() {
        let rule = text { \.paperSize == .a3 => \.copies <= 2 }
        #expect(rule == #"paperSize == "a3" => copies <= 2"#)
        #expect(text { \.greeting <= "hi\n" } == #"shop.greeting <= "hi\n""#)
        #expect(text { \.isOpen => \.paperSize <= .letter } == #"isOpen => paperSize <= "letter""#)
        #expect(
            text { \.copies <= 3 => \.margins <= Margins(left: 1, right: 2) }
                == #"copies <= 3 => margins <= {"left":1,"right":2}"#)
    }

    @Test func `every comparison is written with its operator`() {
        let rules = text {
            \.copies == 1 => \.isOpen <= true
            \.copies != 1 => \.isOpen <= true
            \.copies < 1 => \.isOpen <= true
            \.copies <= 1 => \.isOpen <= true
            \.copies > 1 => \.isOpen <= true
            \.copies >= 1 => \.isOpen <= true
            \.nodePath ~ "/shop/*" => \.isOpen <= true
        }
        #expect(
            rules == """
                copies == 1 => isOpen <= true
                copies != 1 => isOpen <= true
                copies < 1 => isOpen <= true
                copies <= 1 => isOpen <= true
                copies > 1 => isOpen <= true
                copies >= 1 => isOpen <= true
                node.path ~ "/shop/*" => isOpen <= true
                """)
    }

    @Test func `conditions keep their structure, and negations keep their parentheses`() {
        let rules = text {
            \.greeting == "a" || \.copies == 2 => \.isOpen <= true
            \.isOpen && \.copies == 2 => \.greeting <= "b"
            !\.isOpen => \.greeting <= "c"
            !(\.copies == 2) && \.isOpen => \.greeting <= "d"
            \.isOpen || \.isOpen => \.greeting <= "e"
        }
        #expect(
            rules == """
                (shop.greeting == "a") || (copies == 2) => isOpen <= true
                isOpen && (copies == 2) => shop.greeting <= "b"
                !isOpen => shop.greeting <= "c"
                !(copies == 2) && isOpen => shop.greeting <= "d"
                isOpen || isOpen => shop.greeting <= "e"
                """)
    }

    @Test func `a value may be a key, and a priority a name or a number`() {
        let rules = text {
            \.greeting <= \.nodeName
            (\.copies > 2 => \.greeting <= "many").priority(.high)
            (\.greeting <= "none").priority(.fallback)
            (\.isOpen <= false).priority(.value(-3))
        }
        #expect(
            rules == """
                shop.greeting <= node.name
                copies > 2 => shop.greeting <= "many" ; high
                shop.greeting <= "none" ; fallback
                isOpen <= false ; -3
                """)
    }

    @Test func `rules are built from branches, loops and other rules`() {
        let isLarge = true
        let more = Rules { \.copies <= 9 }
        let rules = text {
            more
            if isLarge {
                \.paperSize <= .a3
            }
            for copies in 1...2 {
                \.paperSize == .a4 => \.copies <= copies
            }
            if isLarge { \.isOpen <= true } else { \.isOpen <= false }
        }
        #expect(
            rules == """
                copies <= 9
                paperSize <= "a3"
                paperSize == "a4" => copies <= 1
                paperSize == "a4" => copies <= 2
                isOpen <= true
                """)
    }

    @Test func `rules written in Swift are parsed with their keys, complexity and priority`() throws
    {
        let rules = text {
            !(\.copies <= 2 && \.greeting != "#1;") || \.isOpen => \.greeting <= "a => b ; c # d"
            (\.nodeDepth > 2 => \.copies <= \.nodeDepth).priority(.veryLow)
        }
        let parsed = try RuleFile.parse(rules, file: "test")
        #expect(parsed.map(\.key) == ["shop.greeting", "copies"])
        #expect(parsed.map(\.complexity) == [2, 1])
        #expect(parsed.map(\.priority) == [100, 5])
    }
}
