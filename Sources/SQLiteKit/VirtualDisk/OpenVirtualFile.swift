import CSQLite

/// A virtual file as one connection has it open, with the locks that it holds.
final class OpenVirtualFile {
    let disk: VirtualDisk
    let file: VirtualFile
    /// The program that has it open.
    let program: Int
    /// Whether that was ended before it closed it.
    private(set) var isAbandoned = false
    /// How far it has locked the file: one of SQLite's five levels.
    private(set) var level = SQLITE_LOCK_NONE
    /// The locks on shared memory that it holds, a bit each.
    private var sharedSlots: UInt32 = 0
    private var exclusiveSlots: UInt32 = 0
    private var isSharing = false

    init(_ disk: VirtualDisk, _ file: VirtualFile) {
        self.disk = disk
        self.file = file
        program = disk.program
        file.handles.append(self)
    }

    /// Whether the file can be used: the machine and the program still run as they did when it was opened.
    var isUsable: Bool { disk.hasPower && !file.isLost && !isAbandoned }

    /// Lets go of everything, since the program was ended. What it shared with others it may still touch, as a program
    /// that runs on without knowing that it was ended: nobody else may be given that memory.
    func abandon() {
        file.keepsShared = true
        close()
        isAbandoned = true
    }

    /// Lets go of everything.
    func close() {
        guard !isAbandoned else { return }
        unlock(to: SQLITE_LOCK_NONE)
        unshare()
        file.handles.removeAll { $0 === self }
    }

    private var others: some Sequence<OpenVirtualFile> { file.handles.lazy.filter { $0 !== self } }

    /// Raises the lock; false where another connection's is in the way.
    func lock(_ wanted: Int32) -> Bool {
        guard wanted > level else { return true }
        let highest = others.map(\.level).max() ?? SQLITE_LOCK_NONE
        switch wanted {
        case SQLITE_LOCK_SHARED: guard highest < SQLITE_LOCK_PENDING else { return false }
        case SQLITE_LOCK_RESERVED: guard highest < SQLITE_LOCK_RESERVED else { return false }
        default:
            guard highest < SQLITE_LOCK_RESERVED else { return false }
            level = SQLITE_LOCK_PENDING
            guard highest == SQLITE_LOCK_NONE else { return false }
        }
        level = wanted
        return true
    }

    /// Lowers the lock.
    func unlock(to wanted: Int32) { level = min(level, wanted) }

    /// Whether some connection is about to write.
    var isReserved: Bool { file.handles.contains { $0.level >= SQLITE_LOCK_RESERVED } }
}

// MARK: - Shared memory (https://sqlite.org/walformat.html#the_wal_index_file_format)

extension OpenVirtualFile {
    /// A piece of the memory that the file's connections share; nil where it isn't there and isn't to be made.
    func region(_ index: Int, size: Int, isMade: Bool) -> UnsafeMutableRawPointer? {
        isSharing = true
        while file.shared.count <= index {
            guard isMade else { return nil }
            let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            file.shared.append(region)
        }
        return file.shared[index]
    }

    /// Takes or gives up locks on shared memory; false where another connection's are in the way.
    func lockShared(_ slots: UInt32, _ flags: Int32) -> Bool {
        if flags & SQLITE_SHM_UNLOCK != 0 {
            sharedSlots &= ~slots
            exclusiveSlots &= ~slots
            return true
        }
        if flags & SQLITE_SHM_SHARED != 0 {
            guard !others.contains(where: { $0.exclusiveSlots & slots != 0 }) else { return false }
            sharedSlots |= slots
        } else {
            guard !others.contains(where: { ($0.exclusiveSlots | $0.sharedSlots) & slots != 0 }) else {
                return false
            }
            exclusiveSlots |= slots
        }
        return true
    }

    /// Lets go of the shared memory, which goes with the last who had it.
    func unshare() {
        sharedSlots = 0
        exclusiveSlots = 0
        isSharing = false
        if !others.contains(where: \.isSharing) { file.freeShared() }
    }
}
