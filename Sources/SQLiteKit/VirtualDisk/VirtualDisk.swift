import CSQLite

/// The content of a `VirtualDisk` at one moment, to restore it or to clone the disk.
package struct DiskImage: Equatable {
    private(set) var files: [String: FileContent]

    /// The image of an empty disk.
    package init() { files = [:] }

    init(files: [String: FileContent]) { self.files = files }

    /// Inserts a file that was stored as `DiskChanges` said. Returns false if these aren't exactly the blocks
    /// of a file with `count` bytes.
    package mutating func insert(_ path: String, count: Int, blocks: [[UInt8]]) -> Bool {
        files[path] = FileContent(count: count, blocks: blocks)
        return files[path] != nil
    }
}

/// A disk in memory for SQLite. It keeps both the data that programs read and the data that survives a loss of
/// power, and it simulates failures. A disk from `init(stored:)` names its changes, to be stored elsewhere.
///
/// It is an SQLite file system (<https://sqlite.org/vfs.html>) with support for WAL mode, registered under
/// its own name. Only one thread may use it. Creating and deleting a file is durable at once; written bytes
/// are durable after a sync.
package final class VirtualDisk {
    /// The name under which SQLite knows the disk.
    let name: String
    private(set) var files: [String: VirtualFile] = [:]
    /// Whether the machine runs. Without power no read or write succeeds.
    package private(set) var hasPower = true
    /// Whether power loss can be simulated. If not, the disk needn't remember what isn't synced, and is
    /// faster.
    let canLosePower: Bool
    /// Whether files can't grow any more.
    package var isFull = false
    /// Whether files can't change, as on a full disk.
    package var refusesWrites = false
    /// The number of further changes before the power fails; nil if the power doesn't fail.
    private var changesLeft: Int?
    /// The number of changes so far.
    package private(set) var changeCount: UInt64 = 0
    /// The number of syncs so far.
    package private(set) var syncs: UInt64 = 0
    /// Called before the disk answers a call, on the caller's thread. It may block while other programs run.
    /// Nil if programs don't take turns.
    package var whenCalled: ((DiskCall) -> Void)?
    /// The program that runs now, if programs take turns. `end(program:)` closes the files that it has
    /// opened.
    package var program = 0
    /// Called with each new `storedNumber`. It may collect changes.
    package var whenStored: ((UInt64) -> Void)?
    /// The changes that are to be stored elsewhere; nil if the disk is only in memory.
    private var tracker: ChangeTracker?
    /// The programs that `end(program:)` has ended.
    private var ended: Set<Int> = []
    /// The file system as it is registered with SQLite.
    private let system: UnsafeMutablePointer<sqlite3_vfs>
    private let systemName: UnsafeMutablePointer<CChar>
    /// The functions for an open file.
    let methods: UnsafeMutablePointer<sqlite3_io_methods>

    /// An empty disk.
    ///
    /// - Parameter canLosePower: Whether `losePower` may be called.
    package init(canLosePower: Bool = true) {
        self.canLosePower = canLosePower
        system = .allocate(capacity: 1)
        methods = .allocate(capacity: 1)
        // The address is unique while it is in use, and so is the name.
        name = "virtual-\(UInt(bitPattern: system))"
        let text = Array(name.utf8CString)
        systemName = .allocate(capacity: text.count)
        systemName.initialize(from: text, count: text.count)
        methods.initialize(to: VirtualDisk.makeFileMethods())
        system.initialize(to: VirtualDisk.makeFileSystem())
        system.pointee.zName = UnsafePointer(systemName)
        system.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        _ = SQLiteLibrary.isSetUp
        sqlite3_vfs_register(system, 0)
    }

    /// A disk with files that are stored elsewhere. Its changes are to be stored there too.
    package convenience init(stored image: DiskImage) {
        self.init(canLosePower: false)
        tracker = ChangeTracker(image)
        files = image.files.mapValues { VirtualFile($0, canLosePower: false, changed: []) }
    }

    deinit {
        sqlite3_vfs_unregister(system)
        system.deallocate()
        systemName.deallocate()
        methods.deallocate()
    }

    /// Whether a file with this name exists.
    package func fileExists(path: String) -> Bool { files[path] != nil }

    /// Whether a file is in this folder or in one below it.
    func hasFiles(in folder: String) -> Bool { files.keys.contains { $0.hasPrefix("\(folder)/") } }

    /// The names of the files, sorted.
    package var paths: [String] { files.keys.sorted() }

    /// Returns a copy of all files as programs see them now, to restore or to clone the disk.
    package func image() -> DiskImage { DiskImage(files: files.mapValues { $0.content }) }

    /// Removes a file and returns it as an image with only this file; nil if it doesn't exist.
    package func remove(_ path: String) -> DiskImage? {
        guard let content = files[path]?.content else { return nil }
        _ = delete(path)
        return DiskImage(files: [path: content])
    }
}

// MARK: - Failures and restarts

extension VirtualDisk {
    /// Makes the power fail after `count` more changes; nil cancels that.
    package func cutPower(afterChanges count: Int?) { changesLeft = count }

    /// Stops the machine's programs at once: no open file can be used any more. Written bytes stay, synced or
    /// not.
    package func stopPrograms() {
        hasPower = false
        for file in files.values { file.isLost = true }
    }

    /// Ends one of the machine's programs at once. Its locks are released, and all its later calls fail.
    /// Written bytes stay.
    package func end(program: Int) {
        ended.insert(program)
        for file in files.values {
            for handle in file.handles where handle.program == program { handle.abandon() }
        }
    }

    /// Starts the machine again after `stopPrograms` or `losePower`. Unsynced bytes are still not synced.
    package func start() {
        stopPrograms()
        files = files.mapValues { $0.reopened() }
        hasPower = true
        changesLeft = nil
    }

    /// Cuts the power: unsynced writes are lost completely, in part or not at all. `canLosePower` must be
    /// true.
    package func losePower(using random: inout some RandomNumberGenerator) {
        precondition(canLosePower, "this disk doesn't remember what was synced")
        stopPrograms()
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            files[name] = makeFile(file.afterPowerLoss(using: &random))
        }
    }

    /// Replaces all files by a copy and starts the machine. Files that are open can't be used any more.
    package func replace(with image: DiskImage) {
        stopPrograms()
        files = image.files.mapValues { makeFile($0) }
        hasPower = true
        changesLeft = nil
    }
}

// MARK: - Storage elsewhere

extension VirtualDisk {
    /// Returns the changes since the last call, to be stored elsewhere. The stored files then are as a kill of
    /// all programs at this call would leave them.
    ///
    /// - Returns: Nil if nothing changed. Also nil while 16 changes are not stored; the next ones then contain
    ///   more.
    package func collectChanges() -> DiskChanges? { tracker?.collect(files) }

    /// The number of blocks that changed since the last `collectChanges`.
    package var changedBlockCount: Int { files.values.reduce(0) { $0 + $1.changedCount } }

    /// The number of the changes that contain everything written so far. A commit is stored when
    /// `storedNumber` reaches the number that this has after it.
    package var newestNumber: UInt64 { tracker?.newest(files) ?? 0 }

    /// The number up to which all changes are stored.
    package var storedNumber: UInt64 { tracker?.stored ?? 0 }

    /// Whether a connection is writing a transaction. Unless the file has a write-ahead log, some of its blocks may be
    /// written already.
    package var hasOpenTransaction: Bool { files.values.contains { $0.isBeingWritten } }

    /// Whether a transaction needs a journal. It doesn't if changes are stored elsewhere, which is done only
    /// while `hasOpenTransaction` is false. Files that can't change keep the journal that they have.
    var needsJournal: Bool { tracker == nil || refusesWrites }

    /// Records that all changes up to this number are stored. Unknown and earlier numbers have no effect.
    package func markStored(upTo number: UInt64) {
        if tracker?.markStored(upTo: number) == true { whenStored?(number) }
    }
}

// MARK: - Calls from SQLite

extension VirtualDisk {
    /// Opens the file of this name. Creates it if it doesn't exist and `mayCreate` is true; else returns nil.
    /// Without a name it opens a temporary file, which no other connection can open.
    func open(_ name: String?, mayCreate: Bool) -> VirtualFileHandle? {
        guard isRunning else { return nil }
        guard let name else { return VirtualFileHandle(self, VirtualFile(canLosePower: canLosePower)) }
        if let file = files[name] { return VirtualFileHandle(self, file) }
        guard mayCreate, countChange() else { return nil }
        let file = makeFile()
        files[name] = file
        return VirtualFileHandle(self, file)
    }

    /// Removes a file. Returns false if it doesn't exist.
    func delete(_ name: String) -> Bool { files.removeValue(forKey: name) != nil }

    /// Renames a file, and replaces a file of the new name. Returns false if the power has failed or the file
    /// is missing.
    func rename(_ name: String, to other: String) -> Bool {
        guard countChange(), let file = files.removeValue(forKey: name) else { return false }
        file.markChanged()
        files[other] = file
        return true
    }

    /// Returns a file to put at a path. All its blocks count as changed.
    private func makeFile(_ content: FileContent = FileContent()) -> VirtualFile {
        let changed = tracker.map { _ in Set(0..<content.blockCount) }
        return VirtualFile(content, canLosePower: canLosePower, changed: changed)
    }

    /// Counts a change. Returns false if the power has failed, or fails now.
    func countChange() -> Bool {
        guard isRunning else { return false }
        changeCount += 1
        guard let left = changesLeft else { return true }
        guard left > 0 else {
            hasPower = false
            return false
        }
        changesLeft = left - 1
        return true
    }

    /// Whether the machine and the current program run.
    var isRunning: Bool { hasPower && (ended.isEmpty || !ended.contains(program)) }

    /// Counts a sync.
    func countSync() { syncs += 1 }
}

/// A call to a virtual disk. Other programs of the machine may run before it is answered.
package enum DiskCall: Hashable, Sendable {
    /// Works on a file. `stat` asks whether it exists, how long it is or whether it is about to be written.
    case open, close, read, write, truncate, sync, delete, stat
    /// Takes or releases a lock on a file.
    case lock, unlock
    /// Takes or releases a lock on shared memory, maps or unmaps shared memory, or orders the writes to it.
    case lockShared, unlockShared, map, unmap, barrier
    /// Waits for the given number of microseconds.
    case wait(Int32)
}
