import CommandLineKit
import FocusClient
import FocusServer
import Foundation

/// Each command in a message, a help page, the manual or the page is complete and accepted by its program,
/// because people type it as it is.
enum CommandRule {
    /// Finds commands in a program's file that the program wouldn't accept.
    static func violations(in file: SourceFile) -> [Violation] {
        let isProgram = ["Sources/", "Client/", "Server/"].contains(where: file.path.hasPrefix)
        guard isProgram else { return [] }
        return (commands(in: file).map { ($0, problem(with: $0)) } + folderless(in: file)).compactMap {
            command, problem in
            guard let problem else { return nil }
            return Violation(
                path: file.path, line: line(of: command, in: file.text), problem: "'\(command)': \(problem)")
        }
    }

    /// The commands that a file names. Each interpolated name, path or duration is replaced by `5m`.
    static func commands(in file: SourceFile) -> [String] {
        guard file.text.contains("focus") || file.text.contains(".command(") else { return [] }
        guard file.path.hasSuffix(".swift") else { return named(in: file.text) }
        return texts(in: file.swift).map(filled).flatMap { whole($0) ?? named(in: $0) }
            + server.found(in: file.text).map { "focusd \(filled($0))" }
    }

    /// The commands in the server's messages that lack its data folder. Help and manual pages don't know the
    /// folder, so they are left out.
    private static func folderless(in file: SourceFile) -> [(String, String?)] {
        let isHelp = ["FocusdProgram", "Manuals"].contains {
            file.path.hasPrefix("Server/FocusServer/Commands/\($0)")
        }
        guard file.path.hasPrefix("Server/"), file.path.hasSuffix(".swift"), !isHelp else { return [] }
        return texts(in: file.swift).map(filled).flatMap(named)
            .filter { $0.hasPrefix("focusd ") && !$0.hasSuffix(" --help") }
            .map { ($0, "needs the server's folder: DataFolder.command") }
    }

    /// The string literals of a file. Literals joined by `+` are one text.
    private static func texts(in swift: SwiftText) -> [String] {
        var texts: [String] = []
        for (line, text) in swift.strings {
            let isAdded = swift.code[line - 1].drop { $0 == " " }.hasPrefix("+ \"\"")
            if isAdded, let last = texts.popLast() { texts.append(last + text) } else { texts.append(text) }
        }
        return texts
    }

    /// The command that makes up the whole text, or nil if there is more in it.
    private static func whole(_ text: String) -> [String]? {
        let found = whole.found(in: text)
        return found.isEmpty ? nil : plain(found)
    }

    /// The commands in a text: in quotation marks, in code of the page or the manual, after a colon, or as a
    /// line.
    private static func named(in text: String) -> [String] {
        guard text.contains("focus") else { return [] }
        return plain(named.flatMap { $0.found(in: text) }.flatMap { $0.components(separatedBy: " | ") })
    }

    /// The commands on one line each, without matches that speak of focus time or are a whole sentence.
    private static func plain(_ commands: [String]) -> [String] {
        commands.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            .filter { !$0.hasPrefix("focus time") && !$0.hasPrefix("focusd is") }
    }

    private static let whole = Pattern(#"^(?:sudo )?(focusd? [a-z-]+(?: [^ .,;]+)*)$"#)
    private static let server = Pattern(#"\.command\("((?:[^"\\]|\\\((?:[^()]|\([^()]*\))*\))*)""#)
    private static let named = [
        #"['`“](focusd? [^`”]*?)['`”](?![a-z])"#, #"<code>(focusd? [^<]*)</code>"#,
        #": (focusd? [a-z][^.,;`'\n]*)"#, #"(?m)^ *FOCUS_HOME=\S+ (focus .*)$"#,
    ].map(Pattern.init)

    /// The literal with `5m` for each interpolation.
    private static func filled(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let next = rest.first {
            rest = rest.dropFirst()
            guard next == "\\", rest.first == "(" else {
                let isNewLine = next == "\\" && rest.first == "n"
                if isNewLine { rest = rest.dropFirst() }
                result.append(isNewLine ? "\n" : next)
                continue
            }
            var depth = 0
            repeat {
                if rest.first == "(" { depth += 1 }
                if rest.first == ")" { depth -= 1 }
                rest = rest.dropFirst()
            } while depth > 0 && !rest.isEmpty
            result += "5m"
        }
        return result
    }

    /// The reason for which the program doesn't accept a command; nil if it does.
    private static func problem(with command: String) -> String? {
        let words = words(of: command)
        do {
            if words.first == "focus" {
                _ = try FocusProgram.table.parse(Array(words.dropFirst()))
            } else {
                _ = try FocusdProgram.table.parse(Array(words.dropFirst()))
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static let word = Pattern(#"('[^']*'|\S+)"#)

    /// The words of a command, as a shell splits it.
    private static func words(of command: String) -> [String] {
        word.found(in: command).map { $0.hasPrefix("'") ? String($0.dropFirst().dropLast()) : $0 }
    }

    /// The first line with the command's first two words, or 1 if they are on different lines.
    private static func line(of command: String, in text: String) -> Int {
        let beginning = command.split(separator: " ").prefix(2).joined(separator: " ")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return (lines.firstIndex { $0.contains(beginning) } ?? 0) + 1
    }
}

/// A regular expression. Each result is the match of its first group. Swift's own regular expressions would
/// take minutes in a debug build.
private struct Pattern: Sendable {
    private let expression: NSRegularExpression?

    init(_ pattern: String) { expression = try? NSRegularExpression(pattern: pattern) }

    func found(in text: String) -> [String] {
        let whole = NSRange(text.startIndex..., in: text)
        return expression?.matches(in: text, range: whole).compactMap {
            Range($0.range(at: 1), in: text).map { String(text[$0]) }
        } ?? []
    }
}
