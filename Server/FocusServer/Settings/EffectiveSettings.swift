import CommandLineKit
import FocusServerFiles
import FocusServing

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
