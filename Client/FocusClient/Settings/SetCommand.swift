import CommandLineKit
import FocusCore
import FocusStore

/// `focus set`: shows settings, or changes them, for all laptops or for this one.
struct SetCommand: WritingCommand {
    let requests: [SettingRequest]

    /// Whether anything is to be changed.
    var changesSomething: Bool { requests.contains(where: \.isChange) }

    private var interactions: [Interaction] {
        requests.compactMap { request in
            guard case .change(let key, let value) = request else { return nil }
            return .set(key, value)
        }
    }

    /// Prints the settings asked for: all of them where none is named.
    func show(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let requests = requests.isEmpty ? SettingRequest.all : requests
        var lines: [String] = []
        if let device {
            let settings = try device.using { device throws(StoreError) in try device.store.state() }.settings
            for request in requests { lines.append(try line(request, settings, device)) }
        } else {
            lines = requests.map { line($0, Settings()) }
        }
        try context.print(lines.map { "\($0)\n" }.joined())
    }

    /// Changes settings, all at once, and prints what became of them and what every laptop shows now.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let performed: Performed
        do throws(PerformFailure) {
            performed = try device.perform(interactions)
        } catch {
            throw CommandFailure(error, device.home)
        }
        var lines: [String] = []
        for request in requests { lines.append(try carryOut(request, performed, device)) }
        if !interactions.isEmpty {
            lines.append(StatusView(performed.state, at: performed.now).line(context.console.paint))
        }
        try context.print(lines.map { "\($0)\n" }.joined())
    }

    /// Switches a setting of this laptop's, and says what became of this one or of any other.
    private func carryOut(
        _ request: SettingRequest, _ performed: Performed, _ device: Device
    ) throws(CommandFailure) -> String {
        let now = performed.state.settings
        switch request {
        case .show, .showOwn: return try line(request, now, device)
        case .change(let key, _):
            let before = performed.settingsBefore[key]
            return line(request, now) + was(SettingText.text(before, of: key), isStill: now[key] == before)
        case .switchOwn(let setting, let isOn):
            let wasOn = try device.using { device throws(StoreError) in
                let wasOn = try setting.isOn(device.store)
                try setting.set(isOn, device.store)
                return wasOn
            }
            return line(setting, isOn) + was(setting.words.text(wasOn), isStill: isOn == wasOn)
        }
    }

    private func was(_ before: String, isStill: Bool) -> String {
        isStill ? " (as before)" : " (was \(before))"
    }

    private func line(
        _ request: SettingRequest, _ settings: Settings, _ device: Device
    ) throws(CommandFailure) -> String {
        guard case .showOwn(let setting) = request else { return line(request, settings) }
        return line(
            setting, try device.using { device throws(StoreError) in try setting.isOn(device.store) })
    }

    /// The line of a setting for all laptops, or of one that nobody has chosen on this one.
    private func line(_ request: SettingRequest, _ settings: Settings) -> String {
        switch request {
        case .show(let key), .change(let key, _):
            "\(key.rawValue)=\(SettingText.text(settings[key], of: key))"
        case .showOwn(let setting), .switchOwn(let setting, _): line(setting, true)
        }
    }

    private func line(_ setting: LaptopSetting, _ isOn: Bool) -> String {
        "\(setting.rawValue)=\(setting.words.text(isOn))"
    }
}
