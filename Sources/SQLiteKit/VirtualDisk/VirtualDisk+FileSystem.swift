import CSQLite

// The file system that SQLite calls: C functions, which find their disk through the pointer `pAppData`.
extension VirtualDisk {
    /// The offset of the `VirtualFileHandle`'s address in SQLite's memory for an open file, behind SQLite's own
    /// part.
    static let handleOffset = MemoryLayout<sqlite3_file>.size

    /// Extended codes of `SQLITE_IOERR`: macros that Swift doesn't import.
    enum Failure {
        static let shortRead = SQLITE_IOERR | (2 << 8)
        static let noSuchFile = SQLITE_IOERR | (23 << 8)
    }

    static func makeFileSystem() -> sqlite3_vfs {
        var system = sqlite3_vfs()
        system.iVersion = 2
        system.szOsFile = Int32(handleOffset + MemoryLayout<UnsafeRawPointer>.size)
        system.mxPathname = 512
        system.xOpen = { system, name, file, flags, granted in
            guard let disk = VirtualDisk.disk(system), let file else { return SQLITE_CANTOPEN }
            file.pointee.pMethods = nil
            disk.whenCalled?(.open)
            let mayCreate = name == nil || flags & SQLITE_OPEN_CREATE != 0
            guard let opened = disk.open(name.map { String(cString: $0) }, mayCreate: mayCreate) else {
                return disk.isRunning ? SQLITE_CANTOPEN : SQLITE_IOERR
            }
            UnsafeMutableRawPointer(file).storeBytes(
                of: Unmanaged.passRetained(opened).toOpaque(), toByteOffset: VirtualDisk.handleOffset,
                as: UnsafeMutableRawPointer.self)
            file.pointee.pMethods = UnsafePointer(disk.methods)
            granted?.pointee = flags
            return SQLITE_OK
        }
        system.xDelete = { system, name, _ in
            guard let disk = VirtualDisk.disk(system), let name else { return SQLITE_IOERR }
            disk.whenCalled?(.delete)
            guard disk.countChange() else { return SQLITE_IOERR }
            return disk.delete(String(cString: name)) ? SQLITE_OK : VirtualDisk.Failure.noSuchFile
        }
        system.xAccess = { system, name, _, result in
            guard let disk = VirtualDisk.disk(system), let name else { return SQLITE_IOERR }
            disk.whenCalled?(.stat)
            guard disk.isRunning else { return SQLITE_IOERR }
            result?.pointee = disk.fileExists(path: String(cString: name)) ? 1 : 0
            return SQLITE_OK
        }
        system.xFullPathname = { _, name, count, result in
            guard let name, let result else { return SQLITE_CANTOPEN }
            VirtualDisk.copyPath(name, result, count)
            return SQLITE_OK
        }
        // Nothing is random and no clock runs, so that a run can be repeated.
        system.xRandomness = { _, count, bytes in
            for index in 0..<Int(count) { bytes?[index] = CChar(truncatingIfNeeded: index) }
            return count
        }
        system.xSleep = { system, microseconds in
            VirtualDisk.disk(system)?.whenCalled?(.wait(microseconds))
            return microseconds
        }
        system.xCurrentTime = { _, time in
            time?.pointee = 0
            return SQLITE_OK
        }
        system.xCurrentTimeInt64 = { _, time in
            time?.pointee = 0
            return SQLITE_OK
        }
        system.xGetLastError = { _, _, _ in 0 }
        return system
    }

    private static func disk(_ system: UnsafeMutablePointer<sqlite3_vfs>?) -> VirtualDisk? {
        system?.pointee.pAppData.map { Unmanaged<VirtualDisk>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Copies a path and its terminator; cuts it off if there isn't enough room.
    private static func copyPath(
        _ name: UnsafePointer<CChar>, _ result: UnsafeMutablePointer<CChar>, _ count: Int32
    ) {
        var index = 0
        while index < Int(count) - 1, name[index] != 0 {
            result[index] = name[index]
            index += 1
        }
        result[index] = 0
    }
}

// The operations on an open file that SQLite calls: C functions, which find the file by `handleOffset`.
extension VirtualDisk {
    static func makeFileMethods() -> sqlite3_io_methods {
        var methods = sqlite3_io_methods()
        methods.iVersion = 2
        methods.xClose = { file in
            guard let file, let address = VirtualDisk.address(file) else { return SQLITE_OK }
            let open = Unmanaged<VirtualFileHandle>.fromOpaque(address).takeRetainedValue()
            open.disk.whenCalled?(.close)
            open.close()
            return SQLITE_OK
        }
        methods.xRead = { file, buffer, count, offset in
            guard let open = VirtualDisk.usable(file, for: .read), let buffer else { return SQLITE_IOERR }
            let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
            return open.file.read(bytes, at: Int(offset)) ? SQLITE_OK : VirtualDisk.Failure.shortRead
        }
        methods.xWrite = { file, buffer, count, offset in
            guard let open = VirtualDisk.usable(file, for: .write), let buffer else { return SQLITE_IOERR }
            let end = Int(offset) + Int(count)
            guard !open.disk.refusesWrites, !open.disk.isFull || end <= open.file.content.count else {
                return SQLITE_FULL
            }
            guard open.disk.countChange() else { return SQLITE_IOERR }
            open.file.write(UnsafeRawBufferPointer(start: buffer, count: Int(count)), at: Int(offset))
            return SQLITE_OK
        }
        methods.xTruncate = { file, count in
            guard let open = VirtualDisk.usable(file, for: .truncate), open.disk.countChange() else {
                return SQLITE_IOERR
            }
            open.file.truncate(to: Int(count))
            return SQLITE_OK
        }
        methods.xSync = { file, _ in
            guard let open = VirtualDisk.usable(file, for: .sync), open.disk.countChange() else {
                return SQLITE_IOERR
            }
            open.file.sync()
            open.disk.countSync()
            return SQLITE_OK
        }
        methods.xFileSize = { file, count in
            guard let open = VirtualDisk.usable(file, for: .stat) else { return SQLITE_IOERR }
            count?.pointee = Int64(open.file.content.count)
            return SQLITE_OK
        }
        methods.xLock = { file, level in
            guard let open = VirtualDisk.usable(file, for: .lock) else { return SQLITE_IOERR }
            return open.lock(level) ? SQLITE_OK : SQLITE_BUSY
        }
        methods.xUnlock = { file, level in
            guard let open = VirtualDisk.usable(file, for: .unlock) else { return SQLITE_OK }
            open.unlock(to: level)
            return SQLITE_OK
        }
        methods.xCheckReservedLock = { file, result in
            guard let open = VirtualDisk.usable(file, for: .stat) else { return SQLITE_IOERR }
            result?.pointee = open.file.isBeingWritten ? 1 : 0
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in 512 }
        methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
        methods.xShmMap = { file, index, size, extend, region in
            guard let open = VirtualDisk.usable(file, for: .map) else { return SQLITE_IOERR }
            region?.pointee = open.region(Int(index), size: Int(size), mayCreate: extend != 0)
            return SQLITE_OK
        }
        methods.xShmLock = { file, first, count, flags in
            let call: DiskCall = flags & SQLITE_SHM_UNLOCK != 0 ? .unlockShared : .lockShared
            guard let open = VirtualDisk.usable(file, for: call) else { return SQLITE_IOERR }
            let slots = ((UInt32(1) << UInt32(count)) - 1) << UInt32(first)
            return open.lockShared(slots, flags) ? SQLITE_OK : SQLITE_BUSY
        }
        methods.xShmBarrier = { file in _ = VirtualDisk.usable(file, for: .barrier) }
        methods.xShmUnmap = { file, _ in
            guard let file, let open = VirtualDisk.opened(file) else { return SQLITE_OK }
            open.disk.whenCalled?(.unmap)
            if !open.isAbandoned { open.unshare() }
            return SQLITE_OK
        }
        return methods
    }

    private static func address(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutableRawPointer? {
        UnsafeRawPointer(file).load(fromByteOffset: handleOffset, as: UnsafeMutableRawPointer?.self)
    }

    private static func opened(_ file: UnsafeMutablePointer<sqlite3_file>) -> VirtualFileHandle? {
        address(file).map { Unmanaged<VirtualFileHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Waits until the program may make this call. Returns the open file, or nil if it can't be used by then.
    private static func usable(
        _ file: UnsafeMutablePointer<sqlite3_file>?, for call: DiskCall
    ) -> VirtualFileHandle? {
        guard let file, let open = VirtualDisk.opened(file) else { return nil }
        open.disk.whenCalled?(call)
        return open.isUsable ? open : nil
    }
}
