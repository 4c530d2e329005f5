import Foundation
import TestSupport

extension Browser {
    /// The findings of axe-core about the page as it is now, light and dark, on a phone and in a wide window.
    ///
    /// Each is a line with the rule, the element and the reason. The window is wide and light at the end.
    package func accessibilityFindings() throws -> [String] {
        var findings: [String] = []
        for scheme in ["dark", "light"] {
            try prefer(["prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"])
            for (width, isPhone) in [(360, true), (1100, false)] {
                try resize(width: width, height: isPhone ? 740 : 900, hasTouchScreen: isPhone)
                findings += try findingsNow().map { "\(scheme), \(width) pixels wide: \($0)" }
            }
        }
        return findings
    }

    private func findingsNow() throws -> [String] {
        // The page's policy forbids it a script of others, but not the driver.
        if try text("return typeof axe") == "undefined" { try run(try Browser.checker()) }
        let script = """
            const { violations, passes } = await axe.run(document, {
              resultTypes: ["violations"], preload: false,
              rules: { "target-size": { enabled: true }, "label-content-name-mismatch": { enabled: true } },
            });
            if (passes.length < 10) return [`only ${passes.length} rules were applied`];
            return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
              `${id}: ${html.slice(0, 120)}: ${failureSummary.replace(/\\s+/g, " ")}`));
            """
        return try run(script) as? [String] ?? ["axe-core gave no answer"]
    }

    /// The script of axe-core, which `scripts/setup --tests` gets.
    private static func checker() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent(".build/axe/axe.min.js")
        guard let script = try? String(contentsOf: file, encoding: .utf8) else {
            throw Unmet("\(file.path) is missing, which checks the page: run scripts/setup --tests")
        }
        return script
    }
}
