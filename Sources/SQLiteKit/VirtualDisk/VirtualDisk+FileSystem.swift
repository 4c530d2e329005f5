import CSQLite

// The file system as SQLite calls it: C functions that find their disk by what SQLite keeps for them.
extension VirtualDisk {
    /// What SQLite keeps for an open file: its own part, then the address of an `OpenVirtualFile`.
    static let handleOffset = MemoryLayout<sqlite3_file>.size

    /// Further codes of `SQLITE_IOERR`, which are macros that Swift doesn't import.
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
            let isMade = name == nil || flags & SQLITE_OPEN_CREATE != 0
            guard let opened = disk.open(name.map { String(cString: $0) }, isMade: isMade) else {
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
            guard disk.change() else { return SQLITE_IOERR }
            return disk.delete(String(cString: name)) ? SQLITE_OK : VirtualDisk.Failure.noSuchFile
        }
        system.xAccess = { system, name, _, result in
            guard let disk = VirtualDisk.disk(system), let name else { return SQLITE_IOERR }
            disk.whenCalled?(.look)
            guard disk.isRunning else { return SQLITE_IOERR }
            result?.pointee = disk.fileExists(path: String(cString: name)) ? 1 : 0
            return SQLITE_OK
        }
        system.xFullPathname = { _, name, count, result in
            guard let name, let result else { return SQLITE_CANTOPEN }
            VirtualDisk.copyPath(name, result, count)
            return SQLITE_OK
        }
        // Nothing here is random or has a time, so that a run can be repeated.
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

    /// Copies a path with its end, as far as there is room.
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
