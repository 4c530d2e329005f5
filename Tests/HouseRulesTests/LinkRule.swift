import Foundation

/// Each link from a document to a file of the repository, and to a heading in it, leads there.
enum LinkRule {
    /// Finds links that lead nowhere. Links to other sites aren't checked.
    static func violations(_ texts: [SourceFile]) -> [Violation] {
        let documents = texts.filter { $0.path.hasSuffix(".md") }
        let headings = Dictionary(
            uniqueKeysWithValues: documents.map { ($0.path, LinkRule.headings(of: $0)) })
        return documents.flatMap { document in
            lines(of: document).flatMap { number, line in
                line.matches(of: /\]\(([^)\s]+)\)/).map { (number, String($0.output.1)) }
            }
            .filter { !$0.1.contains(":") }
            .filter { !leads($0.1, from: document.path, headings) }
            .map { Violation(path: document.path, line: $0.0, problem: "the link '\($0.1)' leads nowhere") }
        }
    }

    private static func leads(_ link: String, from path: String, _ headings: [String: Set<String>]) -> Bool {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        let folder = URL(filePath: "/" + path).deletingLastPathComponent()
        let file = folder.appending(path: parts[0]).standardized.path.dropFirst()
        let target = parts[0].isEmpty ? path : String(file)
        guard headings[target] != nil || Repository.exists(target) else { return false }
        guard parts.count > 1, let known = headings[target] else { return true }
        return known.contains(parts[1])
    }

    /// The names by which links reach a document's headings, as GitHub makes them.
    private static func headings(of document: SourceFile) -> Set<String> {
        var count: [String: Int] = [:]
        return Set(
            lines(of: document).compactMap { _, line in
                guard let heading = line.wholeMatch(of: /#{1,6} (.*)/) else { return nil }
                let shown = heading.output.1.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }
                let name = shown.lowercased().replacing(/[^\w\- ]/, with: "").replacing(" ", with: "-")
                defer { count[name, default: 0] += 1 }
                return count[name].map { "\(name)-\($0)" } ?? name
            })
    }

    /// The lines outside of quoted code, with their numbers.
    private static func lines(of document: SourceFile) -> [(Int, Substring)] {
        var isCode = false
        return document.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap
        {
            if $0.element.hasPrefix("```") { isCode.toggle() }
            return isCode ? nil : ($0.offset + 1, $0.element)
        }
    }
}
