import CLibUV
import SystemKit

/// A started program in its own process session. A loop reports its end.
///
/// The program's standard input is empty. Its output goes to this process's standard error, unless it is
/// discarded. It outlives the loop, which stops without waiting for it.
package final class ChildProcess: LoopResource, @unchecked Sendable {
    // Unchecked: everything is used on the loop's thread only; each entry point checks that.

    /// The way in which the program ended.
    package enum End: Hashable, Sendable, CustomStringConvertible {
        /// The program returned this exit status.
        case exited(Int64)
        /// This signal killed the program.
        case signalled(Int32)

        package var description: String {
            switch self {
            case .exited(let status): "ended with status \(status)"
            case .signalled(let number): "ended by signal \(number)"
            }
        }
    }

    /// The part of a program's output that is discarded.
    package enum DiscardedOutput: Hashable, Sendable {
        case none
        /// Standard output.
        case output
        /// Standard output and standard error.
        case all
    }

    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_process_t>
    /// Nil once the program has ended or the loop is stopping.
    private var ended: ((End) -> Void)?
    private var isClosing = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: The program and its arguments. A program's name that isn't a path is looked up in PATH. No
    ///     word may contain a zero byte.
    ///   - variables: Additions to this process's environment. They replace variables of the same name.
    ///   - folder: The program's working folder, or nil for that of this process.
    ///   - discarded: The output to discard: it has a secret, or nobody needs it.
    ///   - ended: Called on the loop's thread once the program has ended. Never called if the loop stops
    ///     first.
    /// - Throws: `NetError` if the program can't be started.
    package init(
        _ words: [String], adding variables: [String: String] = [:], in folder: String? = nil,
        discarding discarded: DiscardedOutput = .none, on loop: EventLoop,
        ended: @escaping (End) -> Void
    ) throws(NetError) {
        loop.assertCurrent()
        let name = words.first ?? "a program"
        // Without this check a missing program would be noticed only by the forked process. A fork takes half
        // a millisecond of the loop's time.
        guard ProgramPath.isFound(name) else {
            throw NetError(status: UV_ENOENT.rawValue, "starting \(name)")
        }
        self.loop = loop
        self.ended = ended
        handle = .allocate(capacity: 1)
        let status = ChildProcess.spawn(
            handle, words, variables, folder, discarded, loop)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        loop.retain(self)
        guard status == 0 else {
            close()
            throw NetError(status: status, "starting \(name)")
        }
    }

    /// Sends a signal to the program and to all processes in its process group. Does nothing if the program
    /// has ended.
    package func signal(_ number: Int32) {
        loop.assertCurrent()
        guard ended != nil else { return }
        // The program leads its own process group.
        uv_kill(-handle.pointee.pid, number)
    }

    func loopIsStopping() { close() }

    deinit { handle.deallocate() }

    /// Stops waiting for the program's end. A running program continues.
    private func close() {
        guard !isClosing else { return }
        isClosing = true
        ended = nil
        uv_close(handlePointer(handle)) { handle in
            guard let data = handle?.pointee.data else { return }
            let process = Unmanaged<ChildProcess>.fromOpaque(data).takeUnretainedValue()
            process.loop.release(process)
        }
    }

    private static func spawn(
        _ handle: UnsafeMutablePointer<uv_process_t>, _ words: [String], _ variables: [String: String],
        _ folder: String?, _ discarded: DiscardedOutput, _ loop: EventLoop
    ) -> Int32 {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] =
            ChildProcess.environment(adding: variables).map { strdup($0) } + [nil]
        let workingFolder = folder.flatMap { strdup($0) }
        defer { for text in arguments + environment + [workingFolder] { free(text) } }
        var streams = [uv_stdio_container_t(), uv_stdio_container_t(), uv_stdio_container_t()]
        streams[0].flags = UV_IGNORE
        for index in 1...2 {
            streams[index].flags = UV_INHERIT_FD
            streams[index].data.fd = 2
        }
        if discarded != .none { streams[1].flags = UV_IGNORE }
        if discarded == .all { streams[2].flags = UV_IGNORE }
        let file = arguments[0]
        return arguments.withUnsafeMutableBufferPointer { arguments in
            environment.withUnsafeMutableBufferPointer { environment in
                streams.withUnsafeMutableBufferPointer { streams in
                    var options = uv_process_options_t()
                    options.file = UnsafePointer(file)
                    options.args = arguments.baseAddress
                    options.env = environment.baseAddress
                    options.cwd = UnsafePointer(workingFolder)
                    options.stdio = streams.baseAddress
                    options.stdio_count = Int32(streams.count)
                    options.flags = UInt32(UV_PROCESS_DETACHED.rawValue)
                    options.exit_cb = { process, status, signal in
                        guard let data = process?.pointee.data else { return }
                        Unmanaged<ChildProcess>.fromOpaque(data).takeUnretainedValue()
                            .exited(signal == 0 ? .exited(status) : .signalled(signal))
                    }
                    return uv_spawn(loop.handles.loop, handle, &options)
                }
            }
        }
    }

    /// Returns this process's environment with these variables added, as `NAME=VALUE` strings.
    private static func environment(adding variables: [String: String]) -> [String] {
        var items: UnsafeMutablePointer<uv_env_item_t>?
        var count: Int32 = 0
        guard uv_os_environ(&items, &count) == 0, let items else {
            return variables.map { "\($0.key)=\($0.value)" }
        }
        defer { uv_os_free_environ(items, count) }
        var merged: [String: String] = [:]
        for item in UnsafeBufferPointer(start: items, count: Int(count)) {
            merged[SystemText.string(item.name)] = SystemText.string(item.value)
        }
        merged.merge(variables) { _, added in added }
        return merged.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }

    private func exited(_ end: End) {
        let ended = ended
        close()
        ended?(end)
    }
}

/// The open file descriptors of this process.
package enum OpenDescriptors {
    /// Closes all descriptors from `first` on, including those of libraries. Call it only while the process
    /// has one thread.
    package static func close(from first: Int32) { lockstep_close_from(first) }
}
