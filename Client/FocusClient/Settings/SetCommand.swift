import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText

/// `focus set`: shows or changes settings, for all laptops or for this one.
struct SetCommand: WritingCommand {
    let requests: [SettingRequest]

    /// Whether a request changes a setting.
    var changesSomething: Bool { requests.contains(where: \.isChange) }

    private var interactions: [Interaction] {
        requests.compactMap { request in
            guard case .change(let key, let value) = request else { return nil }
            return .set(key, value)
        }
    }

    /// Prints the requested settings; all of them if none is requested.
    func show(_ device: Device?, json: Bool, in context: CommandContext) throws(CommandFailure) {
        let requests = requests.isEmpty ? SettingRequest.all : requests
        var settings = ReplayState().shownSettings
        var own: LaptopSettings = [:]
        if let device {
            (settings, own) = try device.using { device throws(StoreError) in
                (try device.store.state().shownSettings, try LaptopSetting.values(device.store))
            }
        }
        if json { return try context.print("\(document(requests, settings, own))\n") }
        let lines = requests.map { request in
            switch request {
            case .show(let key), .change(let key, _): line(key, settings)
            case .showOwn(let setting), .changeOwn(let setting, _): line(setting, setting.text(in: own))
            }
        }
        try context.print(lines.map { "\($0)\n" }.joined())
    }

    /// Returns the settings in the format of the page and of `status --json`.
    private func document(_ requests: [SettingRequest], _ settings: Settings, _ own: LaptopSettings) -> JSON {
        var shared: [JSON.Member] = []
        var laptop: [JSON.Member] = []
        for request in requests where !(shared + laptop).contains(where: { $0.name == request.name }) {
            switch request {
            case .show(let key), .change(let key, _):
                shared.append(JSON.Member(key.rawValue, .integer(settings[key])))
            case .showOwn(let setting), .changeOwn(let setting, _):
                laptop.append(JSON.Member(setting.rawValue, .string(setting.text(in: own))))
            }
        }
        return .object([
            JSON.Member("settings", .object(shared)), JSON.Member("laptopSettings", .object(laptop)),
        ])
    }

    /// Changes all shared settings in one step, then this laptop's own, one by one. Prints the requested
    /// settings. If there was a shared one to change, also prints the state that every laptop shows now.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let result: InteractionResult
        do throws(PerformFailure) {
            result = try device.perform(interactions)
        } catch {
            throw CommandFailure(error, device.home)
        }
        var lines: [String] = []
        for request in requests { lines.append(try apply(request, result, device)) }
        if !interactions.isEmpty {
            let view = StatusView(result.state, at: result.now, by: .current)
            lines.append(view.line(context.console.paint))
        }
        try context.print(lines.map { "\($0)\n" }.joined())
        let note = try device.using { device throws(StoreError) in try result.sentence(device) }
        if let note { context.console.report(note) }
    }

    /// Returns the line about the request's setting. If the request changes one of this laptop's own
    /// settings, changes it first.
    ///
    /// - Parameter result: The result of changing the shared settings, which is done already.
    private func apply(
        _ request: SettingRequest, _ result: InteractionResult, _ device: Device
    ) throws(CommandFailure) -> String {
        let now = result.state.settings
        switch request {
        case .show(let key): return line(key, now)
        case .showOwn(let setting):
            let value = try device.using { device throws(StoreError) in try setting.value(device.store) }
            return line(setting, setting.text(value))
        case .change(let key, _):
            let before = result.settingsBefore[key]
            return line(key, now)
                + formerValue(SettingText.text(before, of: key), isStill: now[key] == before)
        case .changeOwn(let setting, let value):
            let before = try device.using { device throws(StoreError) in
                let before = try setting.value(device.store)
                try setting.set(value, device.store)
                return before
            }
            return line(setting, setting.text(value))
                + formerValue(setting.text(before), isStill: value == before)
        }
    }

    private func formerValue(_ before: String, isStill: Bool) -> String {
        isStill ? " (as before)" : " (was \(before))"
    }

    private func line(_ key: SettingKey, _ settings: Settings) -> String {
        "\(key.rawValue)=\(SettingText.text(settings[key], of: key))"
    }

    private func line(_ setting: LaptopSetting, _ text: String) -> String {
        "\(setting.rawValue)=\(text)"
    }
}
