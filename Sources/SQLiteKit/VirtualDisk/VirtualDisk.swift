import CSQLite

/// All that is on a `VirtualDisk` at a moment, to be put back or to be put on another.
package struct DiskImage: Equatable {
    let files: [String: FileContent]

    /// That of an empty disk.
    package init() { files = [:] }

    init(files: [String: FileContent]) { self.files = files }
}

/// A disk in memory that SQLite works on: what programs see, what survives a loss of power, and what goes wrong.
///
/// It is a file system of SQLite's (<https://sqlite.org/vfs.html>), WAL mode included, under a name of its own.
/// Everything belongs to one thread. Making and deleting a file is durable at once; what is written to it once it is
/// synced.
package final class VirtualDisk {
    /// The name that SQLite knows it by.
    let name: String
    private(set) var files: [String: VirtualFile] = [:]
    /// Whether the machine runs: without power nothing can be read or written.
    package private(set) var hasPower = true
    /// Whether the power may go. A disk that keeps it needn't remember what wasn't synced, and is faster.
    let canLosePower: Bool
    /// Whether files can't grow any more.
    package var isFull = false
    /// After so many more changes of the disk the power goes; nil where it stays.
    private var changesLeft: Int?
    /// How many times anything was written to it.
    package private(set) var writes: UInt64 = 0
    /// How many times something was made durable.
    package private(set) var syncs: UInt64 = 0
    /// Is called before each call is answered, on the thread that made it: here it may wait while other programs have
    /// their turns. Nil where each program does all that it does at once.
    package var whenCalled: ((DiskCall) -> Void)?
    /// Which of the machine's programs runs now, where they take turns: what it opens goes when it ends.
    package var program = 0
    /// The programs that were ended before they had closed what they had open.
    private var ended: Set<Int> = []
    private let system: UnsafeMutablePointer<sqlite3_vfs>
    private let systemName: UnsafeMutablePointer<CChar>
    let methods: UnsafeMutablePointer<sqlite3_io_methods>

    /// An empty disk.
    ///
    /// - Parameter canLosePower: Whether `losePower` may be called.
    package init(canLosePower: Bool = true) {
        self.canLosePower = canLosePower
        system = .allocate(capacity: 1)
        methods = .allocate(capacity: 1)
        // An address that is in use is a name that no other disk has.
        name = "virtual-\(UInt(bitPattern: system))"
        let text = Array(name.utf8CString)
        systemName = .allocate(capacity: text.count)
        systemName.initialize(from: text, count: text.count)
        methods.initialize(to: VirtualDisk.makeFileMethods())
        system.initialize(to: VirtualDisk.makeFileSystem())
        system.pointee.zName = UnsafePointer(systemName)
        system.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        _ = Database.isSetUp
        sqlite3_vfs_register(system, 0)
    }

    deinit {
        sqlite3_vfs_unregister(system)
        system.deallocate()
        systemName.deallocate()
        methods.deallocate()
    }

    /// Whether there is a file of this name.
    package func fileExists(path: String) -> Bool { files[path] != nil }

    /// Whether there is a file in this folder, or in one of its folders.
    func hasFiles(in folder: String) -> Bool { files.keys.contains { $0.hasPrefix("\(folder)/") } }

    /// The names of its files, in order.
    package var paths: [String] { files.keys.sorted() }

    /// Everything on the disk as programs see it now, by name: a copy to restore or to clone.
    package func image() -> DiskImage { DiskImage(files: files.mapValues(\.content)) }

    /// Takes a file off the disk, and gives it as that of another disk; nil where there is none.
    package func takeOff(_ path: String) -> DiskImage? {
        guard let content = files[path]?.content else { return nil }
        _ = delete(path)
        return DiskImage(files: [path: content])
    }

    /// How many bytes the files have.
    package var size: Int { files.values.reduce(0) { $0 + $1.content.count } }
}

// MARK: - What goes wrong

extension VirtualDisk {
    /// Has the power go after so many more changes of the disk, in the middle of whatever is done then; nil lets it
    /// stay.
    package func cutPower(afterChanges count: Int?) { changesLeft = count }

    /// Stops the machine's programs where they are: nothing that has a file open can use it from now on. What they
    /// wrote stays, synced or not.
    package func stopPrograms() {
        hasPower = false
        for file in files.values { file.isLost = true }
    }

    /// Ends one of the machine's programs where it is, whatever it has open: its locks are gone, and none of its calls
    /// does anything from now on. What it wrote stays.
    package func end(program: Int) {
        ended.insert(program)
        for file in files.values {
            for handle in file.handles where handle.program == program { handle.abandon() }
        }
    }

    /// Starts programs anew after they were stopped, or after `losePower`. What wasn't synced still isn't.
    package func start() {
        stopPrograms()
        files = files.mapValues { $0.reopened() }
        hasPower = true
        changesLeft = nil
    }

    /// Takes the power away: what wasn't synced is lost, in part or all of it. The disk must be one that can lose it.
    package func losePower(using random: inout some RandomNumberGenerator) {
        precondition(canLosePower, "this disk doesn't remember what was synced")
        stopPrograms()
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            files[name] = VirtualFile(file.afterPowerLoss(using: &random), canLosePower: true)
        }
    }

    /// Puts a copy back, in place of all there is; no program may have a file open. The machine runs.
    package func replace(with image: DiskImage) {
        stopPrograms()
        files = image.files.mapValues { VirtualFile($0, canLosePower: canLosePower) }
        hasPower = true
        changesLeft = nil
    }
}

// MARK: - What SQLite does with it

extension VirtualDisk {
    /// The file of this name, which is made where it may be; nil where there is none. One without a name is a file
    /// that nobody else sees.
    func open(_ name: String?, isMade: Bool) -> OpenVirtualFile? {
        guard isRunning else { return nil }
        guard let name else { return OpenVirtualFile(self, VirtualFile(canLosePower: canLosePower)) }
        if let file = files[name] { return OpenVirtualFile(self, file) }
        guard isMade, change() else { return nil }
        let file = VirtualFile(canLosePower: canLosePower)
        files[name] = file
        return OpenVirtualFile(self, file)
    }

    /// Takes a file away; false where there is none.
    func delete(_ name: String) -> Bool { files.removeValue(forKey: name) != nil }

    /// Gives a file another name, in place of whatever has that; false where the power went before.
    func rename(_ name: String, to other: String) -> Bool {
        guard change(), let file = files.removeValue(forKey: name) else { return false }
        files[other] = file
        return true
    }

    /// Takes note of something that is written; false where the power went before.
    func change() -> Bool {
        guard isRunning else { return false }
        writes += 1
        guard let left = changesLeft else { return true }
        guard left > 0 else {
            hasPower = false
            return false
        }
        changesLeft = left - 1
        return true
    }

    /// Whether the program that asks for something runs, and its machine.
    var isRunning: Bool { hasPower && (ended.isEmpty || !ended.contains(program)) }

    /// Takes note that something was made durable.
    func noteSync() { syncs += 1 }
}

/// What a program asks of a virtual disk. Before it has its answer, other programs of the machine may have done anything.
package enum DiskCall: Hashable, Sendable {
    case open, close, read, write, truncate, sync, delete, look
    /// Takes or gives up a lock on a file.
    case lock, unlock
    /// Takes or gives up a lock on what connections share, maps it, or has what it wrote there seen.
    case lockShared, unlockShared, map, unmap, barrier
    /// Waits for so many microseconds.
    case wait(Int32)
}
