import CommandLineKit
import FocusCore
import FocusHTTP
import FocusNet
import FocusServerCore
import FocusServerStore
import FocusServing
import FocusSync

/// The form of a setting's value: its description, its parser and its formatter.
struct SettingKind<Value: Sendable>: Sendable {
    /// The placeholder for a value in help: `N`, `SIZE`.
    let name: String
    /// The description of the allowed values, to be read after "must be" or "is not": "a whole number from 1
    /// to 100".
    let allowed: String
    /// A sentence for help about the form of a value; nil if the form is obvious.
    var note: String?
    /// The values that shells offer as completions.
    var offer = ValueCandidates.nothing
    /// Whether the setting may be an option of the command line, which every user of the machine can read.
    var isOption = true
    /// Whether messages may show an invalid value.
    var isShownIfWrong = true
    /// Returns whether a value, as text, contains a password.
    var hasPassword: @Sendable (String) -> Bool = { _ in false }
    /// Parses a text. Returns nil if it is no allowed value.
    let read: @Sendable (String) -> Value?
    /// Returns a value as a text that `read` accepts.
    let text: @Sendable (Value) -> String
}

extension SettingKind where Value == Int {
    /// A whole number.
    static func number(_ range: ClosedRange<Int>) -> SettingKind {
        SettingKind(
            name: "N", allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            read: { Int($0).flatMap { range.contains($0) ? $0 : nil } }, text: { "\($0)" })
    }

    /// A number of bytes.
    static func size(_ range: ClosedRange<Int>) -> SettingKind {
        SettingKind(
            name: "SIZE",
            allowed: "a size from \(SizeText.text(range.lowerBound)) to \(SizeText.text(range.upperBound))",
            note: SizeText.rule,
            read: { SizeText.bytes(in: $0).flatMap { range.contains($0) ? $0 : nil } },
            text: SizeText.text)
    }
}

extension SettingKind where Value == Duration {
    /// A duration of whole seconds.
    static func duration(_ range: ClosedRange<Duration>) -> SettingKind {
        let shortest = DurationText.text(range.lowerBound)
        let longest = DurationText.text(range.upperBound)
        return SettingKind(
            name: "D", allowed: "a duration from \(shortest) to \(longest)", note: DurationText.rule,
            read: { text in
                guard let duration = DurationText.duration(in: text), range.contains(duration) else {
                    return nil
                }
                return .seconds(duration.inSeconds)
            },
            text: { DurationText.text($0) })
    }
}

extension SettingKind where Value == Log.Level {
    /// The least level of the lines that are logged.
    static var level: SettingKind {
        let names = Log.Level.allCases.map(\.rawValue)
        return SettingKind(
            name: names.joined(separator: "|"), allowed: "one of \(names.joined(separator: ", "))",
            offer: .words(names.map { CompletionItem($0) }), read: Log.Level.init(rawValue:),
            text: \.rawValue)
    }
}

extension SettingKind where Value == String? {
    /// A folder, as a full path so that it doesn't depend on the working directory. `word` stands for nil.
    static func folder(or word: String) -> SettingKind {
        SettingKind(
            name: "DIR|\(word)", allowed: "a full path, which begins with /, or '\(word)'", offer: .folder,
            read: { text in
                if text == word { return .some(nil) }
                guard text.hasPrefix("/"), text.count > 1 else { return nil }
                return .some(text.hasSuffix("/") ? String(text.dropLast()) : text)
            },
            text: { $0 ?? word })
    }
}

extension SettingKind where Value == StoreLocation {
    /// The place of the store.
    static var store: SettingKind {
        SettingKind(
            name: "folder|URI", allowed: StoreLocation.allowed, isOption: false, isShownIfWrong: false,
            hasPassword: { StoreLocation($0)?.hasPassword ?? false }, read: StoreLocation.init, text: \.text)
    }
}

extension SettingKind where Value == Address? {
    /// The address to listen at. `any` means every address, at the port of the first address that invites
    /// name.
    static var listening: SettingKind {
        SettingKind(
            name: "HOST[:PORT]", allowed: "a numeric address, HOST or HOST:PORT, or 'any'",
            read: { text in
                if text == any { return .some(nil) }
                guard let address = Address(text), address.isNumeric else { return nil }
                return .some(address)
            },
            text: { $0?.text ?? any })
    }

    private static var any: String { "any" }

    /// The address at which browsers are served: on this machine, if only a port is named. `off` means
    /// nowhere.
    static var web: SettingKind {
        SettingKind(
            name: "[HOST:]PORT|off",
            allowed: "a port of 127.0.0.1, or a numeric address as HOST:PORT, or 'off'",
            offer: .words([CompletionItem("off")]),
            read: { text in
                if text == "off" { return .some(nil) }
                let isPort = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
                guard let address = Address(isPort ? "127.0.0.1:\(text)" : text), address.port != nil,
                    address.isNumeric
                else { return nil }
                return .some(address)
            },
            text: { $0?.text ?? "off" })
    }
}

extension SettingKind where Value == WebAddress? {
    /// The address at which browsers reach the page. `off` means that none is announced.
    static var announcedPage: SettingKind {
        SettingKind(
            name: "https://HOST[:PORT]|off", allowed: "https://HOST or https://HOST:PORT, or 'off'",
            offer: .words([CompletionItem("off")]),
            read: { text in
                if text == "off" { return .some(nil) }
                guard let address = WebAddress(text) else { return nil }
                return .some(address)
            },
            text: { $0?.text ?? "off" })
    }
}

extension SettingKind where Value == [WebOrigin] {
    /// Origins of pages, separated by commas; `off` means none.
    static var origins: SettingKind {
        SettingKind(
            name: "ORIGIN,...|off",
            allowed: "origins, such as https://focus.example, separated by commas, or 'off'",
            read: { text in
                if text == "off" { return [] }
                let parts = text.split(separator: ",", omittingEmptySubsequences: false)
                let origins = parts.compactMap { WebOrigin(String(SettingsFile.trimmed($0))) }
                return origins.count == parts.count && origins.count <= 64 ? origins : nil
            },
            text: { $0.isEmpty ? "off" : $0.map(\.text).joined(separator: ", ") })
    }
}

extension SettingKind where Value == [AddressRange] {
    /// Addresses and networks, separated by commas; `off` means none.
    static var addresses: SettingKind {
        SettingKind(
            name: "HOST[/BITS],...|off",
            allowed:
                "numeric addresses or networks, such as 10.0.0.7 or 10.0.0.0/24, separated by commas, or 'off'",
            read: { text in
                if text == "off" { return [] }
                let parts = text.split(separator: ",", omittingEmptySubsequences: false)
                let ranges = parts.compactMap { AddressRange(String(SettingsFile.trimmed($0))) }
                return ranges.count == parts.count && ranges.count <= 64 ? ranges : nil
            },
            text: { $0.isEmpty ? "off" : $0.map(\.text).joined(separator: ", ") })
    }
}

extension SettingKind where Value == MetricsAddress {
    /// The address at which metrics and health are served.
    static var metricsPlace: SettingKind {
        SettingKind(
            name: "HOST[:PORT]|auto|off",
            allowed: "a numeric address, HOST or HOST:PORT, or 'auto', or 'off'",
            offer: .words([CompletionItem("auto"), CompletionItem("off")]),
            read: { text in
                switch text {
                case "auto": .auto
                case "off": .nowhere
                default: Address(text).map { .at($0) }
                }
            },
            text: { place in
                switch place {
                case .auto: "auto"
                case .nowhere: "off"
                case .at(let address): address.text
                }
            })
    }
}

/// Numbers of bytes in the form that people write: `64KiB`, `1MiB`, `1GiB`, `1TiB`, and `4096` for bytes.
enum SizeText {
    /// The rule, as a sentence for help.
    static let rule = "A size is written 64KiB, 1MiB, 1GiB or 1TiB; a number alone is bytes."

    private static let units = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]

    /// Returns the number of bytes in a text, or nil if the text is no size or the number is too large.
    static func bytes(in text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.0) }
        let digits = text.dropLast(unit?.0.count ?? 0)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(digits)
        else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit?.1 ?? 1)
        return overflow ? nil : bytes
    }

    /// Returns the shortest text that `bytes(in:)` parses as this number.
    static func text(_ bytes: Int) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes % $0.1 == 0 }) else { return "\(bytes)" }
        return "\(bytes / unit.1)\(unit.0)"
    }
}
