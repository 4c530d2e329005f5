import CommandLineKit
import FocusServerStore
import FocusServing
import SystemKit

/// The settings that options on the command line set, by name. The command line's parser has checked
/// their values.
package typealias SettingOptions = [String: String]

/// The values of all settings, and the source of each. Options take precedence over the environment, the
/// environment over the file, and the file over the default.
struct EffectiveSettings: Hashable, Sendable {
    /// The source of a value.
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
    /// The sources by the setting's name, without the defaults.
    private var sources: [String: Source] = [:]

    /// The settings of the server in `folder`, which need not exist yet.
    ///
    /// - Parameter environment: Returns the value of a variable, or nil if it isn't set. An empty value
    ///   counts as not set. A `FOCUSD_` variable that names no setting is ignored, because it may have
    ///   another purpose.
    /// - Throws: `CommandFailure` with all errors of the file, with the error of one variable or option, or
    ///   if two settings contradict each other.
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
        try requireConsistency(folder)
    }

    /// Checks settings that depend on each other.
    ///
    /// - Throws: `CommandFailure` if there is a folder for automatic backups, but the store is in a database.
    private func requireConsistency(_ folder: DataFolder) throws(CommandFailure) {
        guard values.backups.folder != nil, !values.store.isInFolder else { return }
        let source = sources["backup-folder"] ?? .standard
        let place =
            switch source {
            case .standard: ""
            case .file(let line): "\(folder.settings):\(line): "
            case .environment: "FOCUSD_BACKUP_FOLDER in the environment: "
            case .option: "--"
            }
        throw CommandFailure(
            "\(place)backup-folder must be 'off', because the store is in a database. Back it up with the "
                + "database's own tools.", source == .option ? .usage : .failed)
    }

    private mutating func set(_ setting: Setting, _ value: String, _ source: Source) -> Bool {
        guard setting.set(value, &values) else { return false }
        sources[setting.name] = source
        return true
    }

    /// Returns the source of a setting's value.
    func source(of setting: Setting) -> Source { sources[setting.name] ?? .standard }
}

/// The content of `focusd.conf`: one setting on each line, `name = value`. Empty lines, and lines that begin
/// with `#`, are for people.
package struct SettingsFile: Hashable, Sendable {
    /// A value in the file.
    package struct Entry: Hashable, Sendable {
        /// The text behind the `=`, without white space around it.
        package let value: String
        /// The line's number, from 1.
        package let line: Int
    }

    /// The entries by the setting's name. Every name is a setting's, and every value is allowed.
    package private(set) var entries: [String: Entry] = [:]
    /// The errors, one text for each faulty line. A text begins with the line's number.
    package private(set) var problems: [String] = []

    /// The maximum size of the file, in bytes.
    private static let limit = 64 << 10

    /// Whether users other than the server's can read the file. Then the file must not contain a password.
    private let isReadByOthers: Bool

    /// Parses the file's text.
    ///
    /// - Parameter isReadByOthers: Whether users other than the server's can read the file.
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

    /// Parses a line, and adds its entry or its error.
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
                "\(line): There is a password in '\(name)', and other users can read this file. Make it private "
                    + "(chmod 600), or put the password in a file of its own, and name that with 'passfile' in the "
                    + "address.")
        }
        entries[name] = Entry(value: value, line: line)
    }

    /// Returns the part of an invalid line that may be shown. It ends after the `://` of an address, because
    /// the rest may contain a password.
    private static func shown(_ text: Substring) -> Substring {
        text.firstRange(of: "://").map { text[..<$0.upperBound] + "…" } ?? text
    }

    /// Returns a text without the white space around it.
    static func trimmed(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let start = text.drop(while: isSpace)
        return start[..<(start.lastIndex { !isSpace($0) }.map(start.index(after:)) ?? start.startIndex)]
    }

    /// Returns the length of the complete lines before the first line that isn't UTF-8, in bytes.
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
    /// Returns the error of an invalid value, as a sentence.
    func problem(with value: String) -> String {
        "\(name) must be \(allowed)" + (isShownIfWrong ? ", not '\(value)'." : ". Its value isn't.")
    }
}

extension EffectiveSettings {
    /// Returns the place of the store of the server in `folder`.
    ///
    /// - Parameter options: The settings among the command's options. They never have the place itself, but
    ///   may end a contradiction to it.
    /// - Throws: The errors of `init`. Any error in the file counts: if a command ignored faulty lines, it
    ///   might use the wrong store.
    static func storePlace(
        in folder: DataFolder, environment: (String) -> String?, options: SettingOptions
    ) throws(CommandFailure) -> StoreLocation {
        try EffectiveSettings(in: folder, environment: environment, options: options).values.store
    }
}

extension SettingsFile {
    /// The settings file at `path`; an empty one if there is no file.
    ///
    /// - Throws: `CommandFailure` with all errors of the file, each with the file's name and the line.
    init(path: String) throws(CommandFailure) {
        let file = try SettingsFile.contents(at: path)
        self.init(file?.bytes ?? [], isReadByOthers: file?.isReadByOthers ?? false)
        guard problems.isEmpty else {
            throw CommandFailure(problems.map { "\(path):\($0)" }.joined(separator: "\n"))
        }
    }

    /// Returns the file's bytes, and whether users other than the server's can read it. Nil if there is no
    /// file.
    private static func contents(
        at path: String
    ) throws(CommandFailure) -> (bytes: [UInt8], isReadByOthers: Bool)? {
        // `O_NONBLOCK`, because opening a pipe would wait for its other end.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw CommandFailure(errno: "\(path) can't be opened") }
            return nil
        }
        defer { close(descriptor) }
        // The opened file is examined, because the path may lead to another file by now.
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        // A file of root may be readable by its group, because that is the service's group.
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
                    "\(path) is over \(SizeText.text(limit)) long, too long for a list of settings.")
            }
        }
    }
}
