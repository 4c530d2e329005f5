import FocusCore
import FocusDevice
import FocusServerStore
import FocusStore
import FocusSync
import SQLiteKit
import TestSupport

// Programs that find what an earlier version of them left.
extension World {
    /// Whether the step was an upgrade.
    func upgrade(_ step: Step) -> Bool {
        switch step.kind {
        case .upgrade(let index, let version, let changes):
            if let laptop = laptop(index) { laptop.upgrade(from: version, changes) }
        case .upgradeServer(let version, let changes): server.upgrade(from: version, changes)
        case .speak(let index, let versions, let duration):
            guard let laptop = laptop(index) else { return true }
            laptop.speak(versions)
            reach.note(
                .upgrade, versions.contains(1) ? "laptop with later protocol" : "laptop without the protocol")
            later(duration) { laptop.speak(nil) }
        default: return false
        }
        return true
    }
}

extension Laptop {
    /// Another program is put on it, which says in its hellos that it speaks these versions of the protocol, or the present
    /// one again where that is nil.
    func speak(_ versions: [UInt16]?) {
        guard self.versions != versions else { return }
        self.versions = versions
        guard isUp, disk.hasPower else { return }
        stop(losingPower: false)
        start()
    }

    /// What its program says, where that is a hello.
    func translated(_ bytes: [UInt8]) -> [UInt8] {
        guard let versions else { return bytes }
        var decoder = FrameDecoder()
        decoder.append(bytes[...])
        guard let frame = try? decoder.next(), let message = try? Message(frame),
            case .hello(var hello) = message
        else { return bytes }
        let length = Message.hello(hello).encoded().count
        hello.versions = versions.map(ProtocolVersion.init(rawValue:))
        return Message.hello(hello).encoded() + bytes.dropFirst(length)
    }

    /// Starts with a log of an earlier version. It says what it said.
    ///
    /// - Parameter changes: after so many writes the power goes in the middle of the upgrade; nil where it stays.
    func upgrade(from version: Int64, _ changes: Int?) {
        guard isUp, disk.hasPower, !disk.isFull else { return }
        stop(losingPower: false)
        disk.start()
        do {
            let before = try content()
            let former = try Database(path: Laptop.home.database, on: .virtual(disk), access: .readWrite)
            guard let found = try FormerForm.bring(former, to: version, by: FormerForm.ofLaptops) else {
                return start()
            }
            trace("has a log of version \(found)")
            world.reach.note(.upgrade, "laptop from \(found)")
            if let changes { breakUpgrade(after: changes) }
            disk.start()
            let after = try content()
            world.require(before == after, "an upgraded log says what it said") {
                "\(name): \(before) became \(after)"
            }
        } catch {
            world.require(false, "a log of an earlier version can be upgraded") { "\(name): \(error)" }
        }
        disk.stopPrograms()
        start()
    }

    private func breakUpgrade(after changes: Int) {
        disk.start()
        disk.cutPower(afterChanges: changes)
        _ = try? openLog()
        guard !disk.hasPower else { return disk.stopPrograms() }
        world.reach.note(.upgrade, "laptop without power")
        disk.losePower(using: &random)
        clock.restart()
    }

    /// What is in the log, as a program of this version says it.
    private func content() throws -> LogContent {
        let store = try openLog().store
        return LogContent(
            vector: try store.versionVector(), pending: try store.pendingCount(),
            epochs: try store.epochs().map(\.id), devices: try store.devices().map(\.key))
    }
}

/// What has to be the same before and after an upgrade.
private struct LogContent: Hashable {
    let vector: VersionVector
    let pending: UInt64
    let epochs: [EpochID]
    let devices: [Digest]
}

extension ServerMachine {
    /// Starts with a store of an earlier version, of which nothing that was promised is lost.
    func upgrade(from version: Int64, _ changes: Int?) {
        guard isUp, disk.hasPower, !disk.isFull else { return }
        stop(losingPower: false)
        disk.start()
        do throws {
            let former = try Database(path: ServerMachine.path, on: .virtual(disk), access: .readWrite)
            if let found = try FormerForm.bring(former, to: version, by: FormerForm.ofServers) {
                trace("has a store of version \(found)")
                formerStores += 1
                world.reach.note(.upgrade, "server from \(found)")
                if let changes { breakUpgrade(after: changes) }
                disk.start()
                let check = try StoreCheck(
                    SQLiteServerStore(at: ServerMachine.path, on: .virtual(disk), access: .readWriteCreate))
                world.require(check.isWhole, "an upgraded store is whole") { "\(check.problems)" }
            }
        } catch {
            world.require(false, "a store of an earlier version can be upgraded") { "\(error)" }
        }
        disk.stopPrograms()
        start()
    }

    private func breakUpgrade(after changes: Int) {
        disk.start()
        disk.cutPower(afterChanges: changes)
        _ = try? SQLiteServerStore(at: ServerMachine.path, on: .virtual(disk), access: .readWriteCreate)
        guard !disk.hasPower else { return disk.stopPrograms() }
        world.reach.note(.upgrade, "server without power")
        losePower()
    }
}
