import CommandLineKit
package import FocusCore

/// One word of `set`: a setting to show or to change.
package enum SettingRequest: Hashable, Sendable {
    case show(SettingKey)
    case change(SettingKey, to: Int64)
}

extension ValueKind where Value == SettingRequest {
    /// `KEY` or `KEY=VALUE`.
    static var settingRequest: ValueKind {
        let keys = SettingKey.allCases.map { key in
            OfferedKey(
                OfferedWord(key.rawValue, SettingText.summary(of: key)), values: SettingText.values(of: key))
        }
        return ValueKind(name: "KEY[=VALUE]", note: DurationText.rule, offer: .assignments(keys)) {
            word throws(ValueProblem) in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? word
            guard let key = SettingKey(rawValue: name) else {
                let names = SettingKey.allCases.map(\.rawValue)
                throw ValueProblem("names no setting." + Suggestion.sentence(for: name, among: names))
            }
            guard parts.count > 1, let text = parts.last else { return .show(key) }
            guard let value = SettingText.value(of: key, in: String(text)) else {
                throw ValueProblem("can't be: \(name) is \(SettingText.range(of: key))")
            }
            return .change(key, to: value)
        }
    }
}
