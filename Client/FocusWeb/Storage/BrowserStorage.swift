package import SQLiteKit

/// The files of a browser's device, and its key. Their changes are encoded as records, of which one set is
/// stored at a time. If storing fails, `rollBack` returns to the last stored set.
package final class BrowserStorage {
    /// The disk with the files. Another one takes its place if storing fails.
    package private(set) var disk: VirtualDisk
    /// The encoded key of the device; nil if there is none.
    package var deviceKey: [UInt8]?
    private var checks: RecordChecks
    /// The contents that are stored.
    private var stored: Snapshot
    /// The contents that are being stored; nil if none are.
    private var underWay: Snapshot?
    /// The numbers of the last collected changes: here, and on the disk.
    private var (collected, collectedOnDisk): (UInt64, UInt64) = (0, 0)
    /// The number of the last collected changes that are awaited, and the disk's syncs at the last collection.
    private var (awaitedBefore, collectedSyncs): (UInt64, UInt64) = (0, 0)
    /// The number up to which all changes are stored.
    package private(set) var storedNumber: UInt64 = 0

    private struct Snapshot {
        let image: DiskImage
        let deviceKey: [UInt8]?
        let checks: RecordChecks
    }

    /// The storage with these stored contents.
    package init(_ contents: StoredContents) {
        disk = VirtualDisk(stored: contents.image)
        deviceKey = contents.deviceKey
        checks = contents.checks
        stored = Snapshot(image: contents.image, deviceKey: deviceKey, checks: checks)
    }

    /// The files that are stored.
    package var storedImage: DiskImage { stored.image }

    /// The number of the changes that contain everything written so far. Everything is stored when
    /// `storedNumber` reaches the number that this has now.
    package var newestNumber: UInt64 { hasChanges ? collected + 1 : collected }

    /// The number of the changes that contain all awaited changes so far. These must not be lost. So nothing that
    /// follows from them may leave the device before `storedNumber` reaches the number that this has now.
    package var awaitedNumber: UInt64 { hasAwaitedChanges ? collected + 1 : awaitedBefore }

    /// Whether any change since the last `collectChanges` is awaited: another key, or a commit with
    /// `Durability.full`. Only these sync the disk. Others come again from the server, or are derived again.
    package var hasAwaitedChanges: Bool {
        hasChanges && (disk.syncs > collectedSyncs || deviceKey != (underWay ?? stored).deviceKey)
    }

    /// Whether there are changes since the last `collectChanges`.
    package var hasChanges: Bool {
        disk.newestNumber > collectedOnDisk || deviceKey != (underWay ?? stored).deviceKey
    }

    /// Returns the changes since the last call as the bytes of a `keep` call, to be stored in one transaction.
    /// Returns nil if nothing changed, the last changes aren't stored yet, or a transaction is being written.
    package func collectChanges() -> (number: UInt64, records: [UInt8])? {
        guard underWay == nil, hasChanges, !disk.hasOpenTransaction else { return nil }
        let isAwaited = hasAwaitedChanges
        var records: [StoredRecord] = []
        if let changes = disk.collectChanges() {
            collectedOnDisk = changes.number
            for path in changes.removed {
                checks.removeFile(path)
                records.append(StoredRecord(.removal, key: StoredRecordName.length(path: path).removalKey))
            }
            for file in changes.written { append(file, to: &records) }
        }
        if deviceKey != stored.deviceKey {
            if let deviceKey {
                records.append(record(.deviceKey, deviceKey))
            } else {
                checks.set(.deviceKey, to: nil)
                records.append(StoredRecord(.removal, key: StoredRecordName.deviceKey.removalKey))
            }
        }
        records.append(record(.sum, checks.sum.littleEndianBytes))
        collected += 1
        if isAwaited { awaitedBefore = collected }
        collectedSyncs = disk.syncs
        underWay = Snapshot(image: disk.image(), deviceKey: deviceKey, checks: checks)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(records.reduce(4) { $0 + $1.encodedCount })
        bytes.appendLittleEndian(UInt64(records.count), count: 4)
        for record in records { record.append(to: &bytes) }
        return (collected, bytes)
    }

    private func append(_ file: FileChange, to records: inout [StoredRecord]) {
        for block in file.blocks {
            records.append(record(.block(path: file.path, index: block.index), block.bytes))
        }
        let (name, length) = (StoredRecordName.length(path: file.path), UInt64(file.count).littleEndianBytes)
        // Most commits don't change it, and storing it makes the browser look for blocks beyond the end.
        guard checks.lengthCheck(of: file.path) != name.check(of: length) else { return }
        let blockCount = (file.count + StoredContents.blockSize - 1) / StoredContents.blockSize
        checks.removeBlocks(of: file.path, from: blockCount)
        records.append(record(name, length))
    }

    /// Returns the record with this content, and records its check.
    private func record(_ name: StoredRecordName, _ content: [UInt8]) -> StoredRecord {
        let check = name.check(of: content)
        checks.set(name, to: check)
        let value = content + check.littleEndianBytes
        if case .length = name { return StoredRecord(.length, key: name.key, value: value) }
        return StoredRecord(.block, key: name.key, value: value)
    }

    /// Records that all changes up to this number are stored.
    package func markStored(upTo number: UInt64) {
        guard let underWay, number >= collected else { return }
        stored = underWay
        self.underWay = nil
        storedNumber = collected
        disk.markStored(upTo: collectedOnDisk)
    }

    /// Returns to the stored contents, because later changes can't be stored. The former disk can't be used any
    /// more.
    package func rollBack() {
        disk.stopPrograms()
        disk = VirtualDisk(stored: stored.image)
        (deviceKey, checks) = (stored.deviceKey, stored.checks)
        underWay = nil
        (storedNumber, collectedOnDisk, collectedSyncs) = (collected, 0, 0)
    }
}
