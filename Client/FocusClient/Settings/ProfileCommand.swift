import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText

/// `focus profile`: lists the profiles.
struct ListProfilesCommand {
    let json: Bool

    /// Prints the profiles: their names and values, and which are in use.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        var state = ReplayState()
        if let device { state = try device.using { device throws(StoreError) in try device.store.state() } }
        let profiles = state.allProfiles
        if json { return try context.print("\(document(profiles, state.settings))\n") }
        let width = profiles.map(\.name.count).max() ?? 0
        let lines = profiles.map { profile in
            "\(padded(profile.name, to: width))  \(ProfileText.values(profile.lengths))"
                + (profile.isInUse(state.settings) ? "  (in use)" : "")
        }
        try context.print(lines.map { "\($0)\n" }.joined())
    }

    private func document(_ profiles: [Profile], _ settings: Settings) -> JSON {
        .object([
            JSON.Member("profiles", .array(profiles.map { $0.json })),
            JSON.Member(
                "inUse", .array(profiles.filter { $0.isInUse(settings) }.map { .string($0.name) })),
        ])
    }
}

/// `focus profile NAME`, `focus profile save NAME` and `focus profile remove NAME`.
struct ProfileCommand: WritingCommand {
    let request: ProfileRequest

    /// Changes the profiles or the lengths in force, and prints the state that every laptop shows now.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        guard let interaction = request.interaction else { return }
        let result: InteractionResult
        do throws(PerformFailure) {
            result = try device.perform(interaction)
        } catch {
            throw CommandFailure(error, device.home)
        }
        let present = ProfileText.values(PhaseLengths(result.state.settings))
        let view = StatusView(result.state, at: result.now, by: .current)
        try context.print("\(request.words): \(present)\n\(view.line(context.console.paint))\n")
        let note = try device.using { device throws(StoreError) in try result.sentence(device) }
        if let note { context.console.report(note) }
    }
}

extension ProfileRequest {
    /// The interaction that carries the request out; nil if it only lists.
    fileprivate var interaction: Interaction? {
        switch self {
        case .list: nil
        case .use(let name): .useProfile(name)
        case .save(let name): .saveProfile(name)
        case .remove(let name): .removeProfile(name)
        }
    }

    /// The words before the lengths in force.
    fileprivate var words: String {
        switch self {
        case .list: ""
        case .use(let name): "The profile \(ProfileRequest.stored(name)) is in use"
        case .save(let name): "Saved as \(ProfileRequest.stored(name))"
        case .remove(let name): "Removed \(ProfileRequest.stored(name)). In force"
        }
    }

    /// Returns the name as the log has it, without control characters.
    private static func stored(_ name: String) -> String { Profile.name(name) ?? "" }
}
