import Foundation
import Glibc
import TestSupport

/// A small disk in memory that only programs under its `wrapper` see.
///
/// It is mounted in a mount namespace of its own, so the rest of the machine doesn't see it, and it
/// disappears with the test.
package final class SmallDisk {
    /// The wrapper under which programs see the disk.
    package let wrapper: ProgramWrapper
    /// The path of the disk's folder for all other processes.
    private let folder: String
    /// The path of the disk's folder for programs under `wrapper`.
    private let path: String
    /// The process that keeps the namespace alive.
    private let holder: RunningProgram

    /// Mounts a disk of `kibibytes` KiB over the folder `path`, which is created if needed.
    package init(over path: String, kibibytes: Int, in world: World) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let holder = try SmallDisk.holder(
            "mount -t tmpfs -o size=\(kibibytes)k,mode=700 tmpfs '\(path)'", world.folder)
        self.holder = holder
        self.path = path
        folder = "/proc/\(holder.process)/root\(path)"
        wrapper = ProgramWrapper(["/usr/bin/nsenter", "--mount=/proc/\(holder.process)/ns/mnt"])
        try eventually("a disk is mounted: \(holder.messages)") {
            guard holder.isRunning else { throw Unmet("no disk can be mounted: \(holder.messages)") }
            return holder.output.contains("mounted")
        }
    }

    /// Whether this user may mount disks in a namespace: root may, except in most containers.
    package static let isPossible: Bool = {
        guard let folder = try? TemporaryFolder(),
            let holder = try? holder("mount -t tmpfs tmpfs '\(folder.path)'", folder),
            (try? eventually("it ends or mounts") { !holder.isRunning || !holder.output.isEmpty }) != nil
        else { return false }
        return holder.isRunning
    }()

    private static func holder(_ mount: String, _ folder: TemporaryFolder) throws -> RunningProgram {
        try Program(path: "/usr/bin/unshare").start(
            ["--mount", "/bin/sh", "-c", "\(mount) && echo mounted && exec sleep 3600"],
            ["LOCKSTEP_TEST": folder.path], in: folder, log: folder.fresh("messages"))
    }

    /// Mounts the disk again, as writable or read-only.
    package func setWritable(_ isWritable: Bool) throws {
        let mount = Process()
        mount.executableURL = URL(fileURLWithPath: "/usr/bin/nsenter")
        mount.arguments = [
            "--mount=/proc/\(holder.process)/ns/mnt", "mount", "-o", "remount,\(isWritable ? "rw" : "ro")",
            path,
        ]
        try mount.run()
        mount.waitUntilExit()
        guard mount.terminationStatus == 0 else { throw Unmet("the disk can't be mounted anew") }
    }

    /// Fills the disk to the last block.
    package func fill() throws {
        let filler = open("\(folder)/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard filler >= 0 else { throw Unmet("the disk can't be filled") }
        defer { close(filler) }
        let block = [UInt8](repeating: 0, count: 4096)
        while write(filler, block, block.count) > 0 {}
        guard errno == ENOSPC else { throw Unmet("filling the disk: \(String(cString: strerror(errno)))") }
    }

    /// Removes the file that `fill` made.
    package func free() throws { try FileManager.default.removeItem(atPath: "\(folder)/filler") }
}
