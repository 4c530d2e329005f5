import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusWords

/// What the program knows, beyond its table, that can stand on its command line.
enum Known: String {
    /// The names of the group's other laptops.
    case devices
    /// The names of those that were shut out.
    case revoked
    /// The names of those that wait to be accepted.
    case latecomers
    /// What the newest entries of the history are called.
    case entries
    /// The labels of the history.
    case labels
    /// The tags of these.
    case tags
}

extension FocusProgram {
    /// The pages of the manual.
    static let pages = [FocusManual.page, HooksManual.page]

    /// The answer to a shell or a package. A shell hears of nothing that goes wrong: the person is typing.
    static func answer(
        _ request: ShellRequest, in context: CommandContext
    ) throws(CommandFailure) -> String {
        let release = Release(name: "Lockstep \(Lockstep.version)", date: Lockstep.date)
        return try table.answer(request, release: release, pages: pages) { name in
            switch Known(rawValue: name) {
            case .devices: (try? devices(context) { !$0.isThis && !$0.isRevoked }) ?? []
            case .revoked: (try? devices(context) { !$0.isThis && $0.isRevoked && !$0.hasLeft }) ?? []
            case .latecomers: (try? devices(context) { $0.isLate || $0.isReadmitted }) ?? []
            case .entries: (try? newestEntries(context)) ?? []
            case .labels: (try? labels(context)) ?? []
            case .tags: Set(((try? labels(context)) ?? []).flatMap(LabelTag.tags)).sorted().map(\.text)
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

    /// Those that a person may still have on the screen.
    private static func newestEntries(_ context: CommandContext) throws(CommandFailure) -> [String] {
        guard let history = try context.readDevice()?.entries() else { return [] }
        let handles = RecordHandles(history)
        return history.records.suffix(100).map { handles.shown($0.name) }.sorted()
    }

    private static func labels(_ context: CommandContext) throws(CommandFailure) -> [String] {
        let history = try context.readDevice()?.entries()
        return Set((history?.records ?? []).map(\.label)).subtracting([""]).sorted()
    }
}
