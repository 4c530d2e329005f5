import CSQLite

/// A virtual file that one connection has open, with the connection's locks.
final class VirtualFileHandle {
    let disk: VirtualDisk
    let file: VirtualFile
    /// The program that opened it.
    let program: Int
    /// Whether the program was ended before it closed the file.
    private(set) var isAbandoned = false
    /// The connection's lock on the file: one of SQLite's five levels.
    private(set) var level = SQLITE_LOCK_NONE
    /// The connection's shared locks on shared memory, one bit each.
    private var sharedSlots: UInt32 = 0
    /// The connection's exclusive locks on shared memory, one bit each.
    private var exclusiveSlots: UInt32 = 0
    /// Whether the connection uses the shared memory.
    private var isSharing = false

    init(_ disk: VirtualDisk, _ file: VirtualFile) {
        self.disk = disk
        self.file = file
        program = disk.program
        file.handles.append(self)
    }

    /// Whether the file can be used: the machine and the program have run without a break since it was
    /// opened.
    var isUsable: Bool { disk.hasPower && !file.isLost && !isAbandoned }

    /// Releases all locks because the program was ended. Its thread may still touch the shared memory, so
    /// that memory isn't freed.
    func abandon() {
        file.keepsShared = true
        close()
        isAbandoned = true
    }

    /// Releases all locks and the shared memory.
    func close() {
        guard !isAbandoned else { return }
        unlock(to: SQLITE_LOCK_NONE)
        unshare()
        file.handles.removeAll { $0 === self }
    }

    private var otherHandles: some Sequence<VirtualFileHandle> { file.handles.lazy.filter { $0 !== self } }

    /// Raises the lock. Returns false if another connection's lock is in the way.
    func lock(_ wanted: Int32) -> Bool {
        guard wanted > level else { return true }
        let highest = otherHandles.map { $0.level }.max() ?? SQLITE_LOCK_NONE
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
}

// MARK: - Shared memory (https://sqlite.org/walformat.html#the_wal_index_file_format)

extension VirtualFileHandle {
    /// Returns a region of the connections' shared memory, or nil if it doesn't exist and `mayCreate` is
    /// false.
    func region(_ index: Int, size: Int, mayCreate: Bool) -> UnsafeMutableRawPointer? {
        isSharing = true
        while file.shared.count <= index {
            guard mayCreate else { return nil }
            let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            file.shared.append(region)
        }
        return file.shared[index]
    }

    /// Takes or releases locks on shared memory. Returns false if another connection's locks are in the way.
    func lockShared(_ slots: UInt32, _ flags: Int32) -> Bool {
        if flags & SQLITE_SHM_UNLOCK != 0 {
            sharedSlots &= ~slots
            exclusiveSlots &= ~slots
            return true
        }
        if flags & SQLITE_SHM_SHARED != 0 {
            guard !otherHandles.contains(where: { $0.exclusiveSlots & slots != 0 }) else { return false }
            sharedSlots |= slots
        } else {
            guard !otherHandles.contains(where: { ($0.exclusiveSlots | $0.sharedSlots) & slots != 0 }) else {
                return false
            }
            exclusiveSlots |= slots
        }
        return true
    }

    /// Releases the shared memory, which is freed after the last connection has released it.
    func unshare() {
        sharedSlots = 0
        exclusiveSlots = 0
        isSharing = false
        if !otherHandles.contains(where: { $0.isSharing }) { file.freeShared() }
    }
}
