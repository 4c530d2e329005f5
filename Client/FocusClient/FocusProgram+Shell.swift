import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusStore

/// A list of words from the device's log, for completion in a shell.
enum CompletionList: String {
    /// The names of the group's other laptops.
    case devices
    /// The names of laptops that were shut out.
    case revoked
    /// The names of laptops that wait to be accepted.
    case latecomers
    /// The handles of the newest entries of the history.
    case entries
    /// The labels of the history, the most recent first.
    case labels
    /// The tags in these labels.
    case tags
    /// The names of the group's saved profiles.
    case profiles
    /// The first words after `focus profile`.
    case profileWords
}

extension FocusProgram {
    /// The pages of the manual.
    static let pages = [FocusManual.page, HooksManual.page]

    /// Returns the answer to a shell or a package. Errors of the log aren't reported to a shell, because the
    /// person is typing.
    static func answer(
        _ request: ShellRequest, in context: CommandContext
    ) throws(CommandFailure) -> String {
        let release = Release(name: "Lockstep \(Lockstep.version)", date: Lockstep.date)
        return try table.answer(request, release: release, pages: pages) { name in
            switch CompletionList(rawValue: name) {
            case .devices: (try? devices(context) { !$0.isThis && !$0.isRevoked }) ?? []
            case .revoked: (try? devices(context) { !$0.isThis && $0.isRevoked && !$0.hasLeft }) ?? []
            case .latecomers: (try? devices(context) { $0.isLate || $0.isReadmitted }) ?? []
            case .entries: (try? newestEntries(context)) ?? []
            case .labels: (try? labels(context)) ?? []
            case .tags: Set(((try? labels(context)) ?? []).flatMap(LabelTag.tags)).sorted().map(\.text)
            case .profiles: (try? savedProfiles(context)) ?? []
            case .profileWords:
                ["save", "remove"] + Profile.builtIn.map(\.name) + ((try? savedProfiles(context)) ?? [])
            case nil: []
            }
        }
    }

    private static func devices(
        _ context: CommandContext, _ isOffered: (DeviceList.Entry) -> Bool
    ) throws(CommandFailure) -> [String] {
        guard let device = try context.readDevice() else { return [] }
        let entries = try device.using { device throws(StoreError) in try DeviceList(device).entries }
        return Set(entries.filter { isOffered($0) }.map { $0.name.isEmpty ? $0.title : $0.name }).sorted()
    }

    /// Returns the handles of the newest entries, which may still be on the person's screen.
    private static func newestEntries(_ context: CommandContext) throws(CommandFailure) -> [String] {
        guard let history = try context.readDevice()?.history() else { return [] }
        let handles = RecordHandles(history)
        return history.records.suffix(100).map { handles.shown($0.name) }.sorted()
    }

    private static func savedProfiles(_ context: CommandContext) throws(CommandFailure) -> [String] {
        guard let device = try context.readDevice() else { return [] }
        let state = try device.using { device throws(StoreError) in try device.store.state() }
        return state.profiles.map(\.name)
    }

    private static func labels(_ context: CommandContext) throws(CommandFailure) -> [String] {
        guard let history = try context.readDevice()?.history() else { return [] }
        return RecentLabels(history, limit: .max, among: .max).all
    }
}
