import CommandLineKit
import FocusServerFiles
import FocusServerStore
import FocusServing
import SystemKit

/// What options on the command line set, by the settings' names. Their values are allowed.
package typealias SettingOptions = [String: String]

/// What the settings come to, and where each comes from: options before the environment, that before the file, and
/// that before the default.
struct EffectiveSettings: Hashable, Sendable {
    /// Where a value comes from.
    enum Source: Hashable, Sendable, CustomStringConvertible {
        case standard
        case file(line: Int)
        case environment
        case option

        var description: String {
            switch self {
            case .standard: "default"
            case .file: "file"
            case .environment: "environment"
            case .option: "option"
            }
        }
    }

    private(set) var values = ServerSettings()
    private var sources: [String: Source] = [:]

    /// The settings of the server in `folder`, whether one was made there yet or not.
    ///
    /// - Parameter environment: the value of a variable, nil where it isn't set. An empty one counts as not set, and
    ///   one that names no setting may be there for other reasons.
    /// - Throws: everything that is wrong with the file, or what is wrong with a variable.
    init(
        in folder: DataFolder, environment: (String) -> String?, options: SettingOptions
    ) throws(CommandFailure) {
        let file = try SettingsFile(path: folder.settings)
        for setting in Setting.all {
            if let value = options[setting.name] {
                guard set(setting, value, .option) else {
                    throw CommandFailure("--\(setting.problem(with: value))", .usage)
                }
            } else if let value = environment(setting.variable), !value.isEmpty {
                guard set(setting, value, .environment) else {
                    throw CommandFailure(
                        "\(setting.variable) in the environment: \(setting.problem(with: value))")
                }
            } else if let entry = file.entries[setting.name] {
                _ = set(setting, entry.value, .file(line: entry.line))
            }
        }
    }

    private mutating func set(_ setting: Setting, _ value: String, _ source: Source) -> Bool {
        guard setting.set(value, &values) else { return false }
        sources[setting.name] = source
        return true
    }

    /// Where a setting's value comes from.
    func source(of setting: Setting) -> Source { sources[setting.name] ?? .standard }
}

/// What stands in `focusd.conf`: a line a setting, `name = value`. What follows a `#` at a line's beginning is for
/// people, and so are empty lines.
package struct SettingsFile: Hashable, Sendable {
    /// A value, as the file has it.
    package struct Entry: Hashable, Sendable {
        /// What stands behind the `=`, without the white space around it.
        package let value: String
        /// The line's number, from 1.
        package let line: Int
    }

    /// By the setting's name. Every name is that of a setting, and every value is allowed.
    package private(set) var entries: [String: Entry] = [:]
    /// What is wrong with it, a sentence for each line, which begins with the line's number.
    package private(set) var problems: [String] = []

    /// A file of more bytes is no list of settings.
    private static let limit = 64 << 10

    /// Whether others than the server's user can read the file, so that no password may stand in it.
    private let isReadByOthers: Bool

    /// Reads the file's text.
    ///
    /// - Parameter isReadByOthers: whether others than the server's user can read it too.
    package init(_ bytes: [UInt8], isReadByOthers: Bool = false) {
        self.isReadByOthers = isReadByOthers
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let valid = SettingsFile.validPrefix(of: bytes)
            let line = bytes[..<valid].count { $0 == UInt8(ascii: "\n") } + 1
            problems = ["\(line): This is not text in UTF-8."]
            return
        }
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() { take(SettingsFile.trimmed(line), line: index + 1) }
    }

    private mutating func take(_ text: Substring, line: Int) {
        guard !text.isEmpty, !text.hasPrefix("#") else { return }
        guard let sign = text.firstIndex(of: "=") else {
            return problems.append(
                "\(line): '\(SettingsFile.shown(text))' is not a setting. Write NAME = VALUE.")
        }
        let name = String(SettingsFile.trimmed(text[..<sign]))
        let value = String(SettingsFile.trimmed(text[text.index(after: sign)...]))
        guard let setting = Setting.all.first(where: { $0.name == name }) else {
            let near = Suggestion.sentence(for: name, among: Setting.all.map(\.name))
            let advice = near.isEmpty ? " 'focusd config --help' lists them." : near
            return problems.append(
                "\(line): There is no setting '\(SettingsFile.shown(name[...]))'.\(advice)")
        }
        if let first = entries[name] {
            return problems.append("\(line): '\(name)' is already set on line \(first.line).")
        }
        var settings = ServerSettings()
        guard setting.set(value, &settings) else {
            return problems.append("\(line): \(setting.problem(with: value))")
        }
        guard !isReadByOthers || !setting.hasPassword(value) else {
            return problems.append(
                "\(line): There is a password in '\(name)', and others than the server's user can read this file. "
                    + "Make it private (chmod 600), or keep the password in a file of its own, which 'passfile' in the "
                    + "address names.")
        }
        entries[name] = Entry(value: value, line: line)
    }

    /// What may be shown of a line that isn't a setting: no address, as a password may stand in it.
    private static func shown(_ text: Substring) -> Substring {
        text.firstRange(of: "://").map { text[..<$0.upperBound] + "…" } ?? text
    }

    /// A text without the white space around it.
    static func trimmed(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let start = text.drop(while: isSpace)
        return start[..<(start.lastIndex { !isSpace($0) }.map(start.index(after:)) ?? start.startIndex)]
    }

    /// How many of the first bytes are UTF-8.
    private static func validPrefix(of bytes: [UInt8]) -> Int {
        var low = 0
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            guard String(validating: bytes[low...index], as: UTF8.self) != nil else { break }
            low = index + 1
        }
        return low
    }
}

extension Setting {
    /// What is wrong with a value, as a sentence.
    func problem(with value: String) -> String {
        "\(name) must be \(allowed)" + (isShownIfWrong ? ", not '\(value)'." : ". What it says isn't.")
    }
}

extension EffectiveSettings {
    /// Where the store of the server in `folder` is, for a command that has no options of settings.
    ///
    /// - Throws: as above: who goes by half of a file might go by the wrong store.
    static func storePlace(
        in folder: DataFolder, environment: (String) -> String?
    ) throws(CommandFailure) -> StorePlace {
        try EffectiveSettings(in: folder, environment: environment, options: [:]).values.store
    }
}

extension SettingsFile {
    /// What the file at `path` says; nothing where there is no such file.
    ///
    /// - Throws: what is wrong with it, each with the file's name and the line.
    init(path: String) throws(CommandFailure) {
        let file = try SettingsFile.contents(at: path)
        self.init(file?.bytes ?? [], isReadByOthers: file?.isReadByOthers ?? false)
        guard problems.isEmpty else {
            throw CommandFailure(problems.map { "\(path):\($0)" }.joined(separator: "\n"))
        }
    }

    private static func contents(
        at path: String
    ) throws(CommandFailure) -> (bytes: [UInt8], isReadByOthers: Bool)? {
        // One that isn't a file at all, as a pipe, is not to be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw CommandFailure(errno: "\(path) can't be opened") }
            return nil
        }
        defer { close(descriptor) }
        // What is opened is what is asked, whatever has its name by then.
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        // Root may let the service's group read what it has written.
        let others: mode_t = status.st_uid == 0 ? 0o007 : 0o077
        let source = FileDescriptor(descriptor, named: path).bytes
        var bytes: [UInt8] = []
        while true {
            let piece: [UInt8]
            do { piece = try source.next() } catch { throw CommandFailure.about(error) }
            if piece.isEmpty { return (bytes, !isKnown || status.st_mode & others != 0) }
            bytes += piece
            guard bytes.count <= limit else {
                throw CommandFailure(
                    "\(path) is over \(SizeText.text(limit)) long: it is no list of settings.")
            }
        }
    }
}
