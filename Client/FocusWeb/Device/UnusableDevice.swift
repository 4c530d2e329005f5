import FocusCore
import FocusDevice
import FocusPage
import FocusStore
import FocusText
import SQLiteKit

/// A device that can't run, because its stored records are damaged, or for another reason.
struct UnusableDevice {
    /// The reason, in sentences.
    let reason: String
    /// Whether a newer version has written the stored files, which aren't damaged.
    let isNewer: Bool
    /// The stored files.
    let image: DiskImage

    /// The device of damaged records.
    init(_ damage: StorageDamage, _ image: DiskImage) {
        reason = BrowserText.sentence(damage)
        isNewer = false
        self.image = image
    }

    /// The device of a database that can't be used.
    init(_ error: StoreError, _ image: DiskImage) {
        reason =
            switch error.code {
            case .damaged: BrowserText.sentence(.database(error.message))
            case .newer: BrowserText.newer
            case .full: BrowserText.full
            default: BrowserText.failed(error.message)
            }
        isNewer = error.code == .newer
        self.image = image
    }

    /// Answers a request: with the log, as far as it can be read, or with the reason.
    func answer(_ request: PageRequest) -> PageAnswer {
        guard request.isForLog, let log = readableLog(), !log.isEmpty else {
            return PageAnswer(browserError: reason)
        }
        return .log(log)
    }

    /// The lines of all events before the damage.
    private func readableLog() -> String? {
        let path = RunningDevice.home.database
        let disk = Disk.virtual(VirtualDisk(stored: image))
        guard
            let store = try? DeviceStore(
                path: path, on: disk, access: .reading, makeReplica: { ReplicaID(rawValue: 0) })
        else { return nil }
        return LogExport(store).readableLines
    }
}

/// The log as text: a line for each event that can be read (docs/commands.md, "A log as text").
struct LogExport {
    private let store: DeviceStore

    init(_ store: DeviceStore) { self.store = store }

    /// All lines.
    func lines() throws(StoreError) -> String {
        var lines = ""
        try store.reading { () throws(StoreError) in
            try append(to: &lines)
        }
        return lines
    }

    /// The lines before the first row that can't be read.
    var readableLines: String {
        var lines = ""
        try? append(to: &lines)
        return lines
    }

    private func append(to lines: inout String) throws(StoreError) {
        var events = StoredEventCursor(store, after: nil)
        while let stored = try events.next() {
            if let event = stored.event { lines += "\(EventLine(event, epoch: stored.epoch))\n" }
        }
    }
}

extension PageRequest {
    /// Whether this asks for the whole log, which only a browser's device gives.
    var isForLog: Bool { method == "GET" && path == "/log.jsonl" }
}
