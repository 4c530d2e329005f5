package import SQLiteKit

/// A fault of the stored records.
package enum StorageDamage: Error, Hashable, Sendable {
    /// This number of records can't be read, or are missing.
    case records(Int)
    /// Some records are older than others, because they weren't written in one transaction.
    case mixed
    /// SQLite finds this fault in the database.
    case database(String)
}

/// The contents of a browser's database: a disk's files and the device's key.
package struct StoredContents {
    /// The files. If there is damage, they have zeros for missing blocks.
    package private(set) var image = DiskImage()
    /// The encoded device key; nil if there is none.
    package private(set) var deviceKey: [UInt8]?
    /// The checks of the records.
    private(set) var checks = RecordChecks()
    /// The fault of the records; nil if there is none.
    package private(set) var damage: StorageDamage?

    /// The length of a block, in bytes.
    static let blockSize = 4096
    private static let zeros = [UInt8](repeating: 0, count: blockSize)
    /// The length of a record's check, in bytes.
    static let checkSize = 8
    /// The greatest length of a file that is read, in bytes: more than any browser stores.
    private static let fileLimit: UInt64 = 1 << 31

    /// No files and no key.
    package init() {}

    /// The contents in these encoded records, which may be damaged.
    package init(_ records: [[UInt8]]) {
        var found = FoundRecords()
        for record in records { found.insert(record) }
        self.init(found)
    }

    /// The contents in these records.
    init(_ found: FoundRecords) {
        var damaged = found.damaged
        for (path, file) in found.files.sorted(by: { $0.key < $1.key }) {
            let count = Int(truncatingIfNeeded: file.count ?? 0)
            let blockCount = (count + StoredContents.blockSize - 1) / StoredContents.blockSize
            var blocks = (0..<blockCount).map { file.blocks[$0] ?? StoredContents.zeros }
            if let last = blocks.popLast() {
                let used = count - blocks.count * StoredContents.blockSize
                blocks.append(
                    Array((last.prefix(used) + StoredContents.zeros).prefix(StoredContents.blockSize)))
            }
            // Each block that is missing, or beyond the end, counts. A file without a length does too.
            damaged += Set(0..<blockCount).symmetricDifference(file.blocks.keys).count
            if file.count == nil { damaged += 1 }
            if !image.insert(path, count: count, blocks: blocks) { damaged += 1 }
        }
        deviceKey = found.deviceKey
        checks = found.checks
        if damaged > 0 {
            damage = .records(damaged)
        } else if !found.isEmpty, found.sum != checks.sum {
            damage = .mixed
        }
    }

    /// The records of a database, before they are put together.
    struct FoundRecords {
        fileprivate struct File {
            var count: UInt64?
            var blocks: [Int: [UInt8]] = [:]
        }

        fileprivate private(set) var files: [String: File] = [:]
        fileprivate private(set) var deviceKey: [UInt8]?
        fileprivate private(set) var sum: UInt64?
        fileprivate private(set) var checks = RecordChecks()
        /// The number of records that can't be read.
        fileprivate private(set) var damaged = 0
        fileprivate private(set) var isEmpty = true

        /// Inserts an encoded record, of which only the content is copied.
        mutating func insert(_ bytes: [UInt8]) {
            isEmpty = false
            guard let record = StoredRecord(parsing: bytes),
                let name = StoredRecordName(record.kind, record.key)
            else {
                damaged += 1
                return
            }
            let content = record.value.dropLast(StoredContents.checkSize)
            let check = record.value.suffix(StoredContents.checkSize).littleEndianNumber
            if check != name.check(of: content) { damaged += 1 }
            if name != .sum { checks.set(name, to: check) }
            switch name {
            case .length(let path):
                let count = content.littleEndianNumber
                guard content.count == 8, count <= StoredContents.fileLimit else {
                    damaged += 1
                    return
                }
                files[path, default: File()].count = count
            case .block(let path, let index):
                guard content.count == StoredContents.blockSize else {
                    damaged += 1
                    return
                }
                files[path, default: File()].blocks[index] = Array(content)
            case .deviceKey: deviceKey = Array(content)
            case .sum: sum = content.littleEndianNumber
            }
        }
    }
}

/// The checks of all stored records. Their sum is stored with each set of changes, and shows later whether all
/// of the set was stored.
struct RecordChecks {
    private var files: [String: FileChecks] = [:]
    private var deviceKey: UInt64?
    /// The sum of all checks.
    private(set) var sum: UInt64 = 0

    private struct FileChecks {
        var length: UInt64?
        var blocks: [Int: UInt64] = [:]
    }

    /// Returns the check of the record of a file's length; nil if there is none.
    func lengthCheck(of path: String) -> UInt64? { files[path]?.length }

    /// Sets the check of a record; nil if the record is removed.
    mutating func set(_ name: StoredRecordName, to check: UInt64?) {
        let former: UInt64?
        switch name {
        case .length(let path):
            former = files[path]?.length
            files[path, default: FileChecks()].length = check
        case .block(let path, let index):
            former = files[path]?.blocks[index]
            files[path, default: FileChecks()].blocks[index] = check
        case .deviceKey:
            former = deviceKey
            deviceKey = check
        case .sum: return
        }
        sum = sum &- (former ?? 0) &+ (check ?? 0)
    }

    /// Removes the checks of a file's blocks from `count` on.
    mutating func removeBlocks(of path: String, from count: Int) {
        guard let file = files[path] else { return }
        for (index, check) in file.blocks where index >= count {
            files[path]?.blocks[index] = nil
            sum = sum &- check
        }
    }

    /// Removes the checks of a file.
    mutating func removeFile(_ path: String) {
        removeBlocks(of: path, from: 0)
        sum = sum &- (files[path]?.length ?? 0)
        files[path] = nil
    }
}
