import CommandLineKit
import FocusCore
import FocusStore

/// `focus set`: shows settings, or changes them for all laptops.
struct SetCommand: WritingCommand {
    let requests: [SettingRequest]

    /// Whether anything is to be changed.
    var changesSomething: Bool { !interactions.isEmpty }

    private var interactions: [Interaction] {
        requests.compactMap { request in
            guard case .change(let key, let value) = request else { return nil }
            return .set(key, value)
        }
    }

    /// Prints the settings asked for: all of them where none is named.
    func show(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let settings =
            try device?.using { device throws(StoreError) in try device.store.state() }.settings ?? Settings()
        let keys = requests.isEmpty ? SettingKey.allCases : requests.map(\.key)
        try context.print(keys.map { "\(line($0, settings))\n" }.joined())
    }

    /// Changes settings, all at once, and prints what became of them and what every laptop shows now.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let performed: Performed
        do throws(PerformFailure) {
            performed = try device.perform(interactions)
        } catch {
            throw CommandFailure(error, device.home)
        }
        let now = performed.state.settings
        let lines = requests.map { request in
            let key = request.key
            guard case .change = request else { return line(key, now) }
            let before = performed.settingsBefore[key]
            return now[key] == before
                ? "\(line(key, now)) (as before)"
                : "\(line(key, now)) (was \(SettingText.text(before, of: key)))"
        }
        let status = StatusView(performed.state, at: performed.now).line(context.console.paint)
        try context.print((lines + [status]).map { "\($0)\n" }.joined())
    }

    private func line(_ key: SettingKey, _ settings: Settings) -> String {
        "\(key.rawValue)=\(SettingText.text(settings[key], of: key))"
    }
}

extension SettingRequest {
    fileprivate var key: SettingKey {
        switch self {
        case .show(let key), .change(let key, _): key
        }
    }
}
