import Foundation
import Glibc
import TestSupport

/// A small disk, in memory, that only some programs see: those run in its surroundings.
///
/// It is mounted in a mount namespace of its own, so the machine sees nothing of it, and it is gone with the test.
package final class SmallDisk {
    /// What programs are run under to find the disk at its place.
    package let surroundings: Surroundings
    /// The disk's folder as everyone else can reach it.
    private let folder: String
    /// Where those programs find it.
    private let path: String
    /// Keeps the namespace.
    private let holder: RunningProgram

    /// Mounts a disk of so many KiB over a folder, which is made where there is none.
    package init(over path: String, kibibytes: Int, in world: World) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let holder = try SmallDisk.holder(
            "mount -t tmpfs -o size=\(kibibytes)k,mode=700 tmpfs '\(path)'", world.folder)
        self.holder = holder
        self.path = path
        folder = "/proc/\(holder.process)/root\(path)"
        surroundings = Surroundings(["/usr/bin/nsenter", "--mount=/proc/\(holder.process)/ns/mnt"])
        try eventually("a disk is mounted: \(holder.messages)") {
            guard holder.isRunning else { throw Unmet("no disk can be mounted: \(holder.messages)") }
            return holder.output.contains("mounted")
        }
    }

    /// Whether this user may mount disks for some programs alone: root may, outside of most containers.
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

    /// Lets programs write to it, or only read.
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

    /// Leaves not one block free.
    package func fill() throws {
        let filler = open("\(folder)/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard filler >= 0 else { throw Unmet("the disk can't be filled") }
        defer { close(filler) }
        let block = [UInt8](repeating: 0, count: 4096)
        while write(filler, block, block.count) > 0 {}
        guard errno == ENOSPC else { throw Unmet("filling the disk: \(String(cString: strerror(errno)))") }
    }

    /// Gives what `fill` took back.
    package func free() throws { try FileManager.default.removeItem(atPath: "\(folder)/filler") }
}
