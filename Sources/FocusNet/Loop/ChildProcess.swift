import CLibUV
import SystemKit

/// Another program that was started, in a session of its own, and whose end a loop waits for.
///
/// It gets nothing on standard input, and what it prints goes where this process's standard error goes. It outlives
/// the loop: that stops without waiting for it.
package final class ChildProcess: LoopResource, @unchecked Sendable {
    // Unchecked: everything is touched on the loop's thread alone; each entry checks that.

    /// How it ended.
    package enum End: Hashable, Sendable, CustomStringConvertible {
        case exited(Int64)
        case signalled(Int32)

        package var description: String {
            switch self {
            case .exited(let status): "ended with status \(status)"
            case .signalled(let number): "ended by signal \(number)"
            }
        }
    }

    private let loop: EventLoop
    private let handle: UnsafeMutablePointer<uv_process_t>
    private var ended: ((End) -> Void)?
    private var isClosing = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: the program, looked for in PATH where it is no path, and its arguments. No word holds a zero byte.
    ///   - variables: go into its environment beside those of this process, and instead of those of the same name.
    ///   - folder: where it begins to work; where this process does, if that is nil.
    ///   - ended: is called on the loop's thread once it has ended; never where the loop stops before.
    /// - Throws: where it can't be started.
    package init(
        _ words: [String], adding variables: [String: String] = [:], in folder: String? = nil,
        on loop: EventLoop,
        ended: @escaping (End) -> Void
    ) throws(NetError) {
        loop.assertCurrent()
        let name = words.first ?? "a program"
        // To find that out in a copy of this process takes half a millisecond of the loop's time.
        guard ProgramPath.isFound(name) else {
            throw NetError(status: UV_ENOENT.rawValue, "starting \(name)")
        }
        self.loop = loop
        self.ended = ended
        handle = .allocate(capacity: 1)
        let status = ChildProcess.spawn(handle, words, variables, folder, loop)
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        loop.retain(self)
        guard status == 0 else {
            close()
            throw NetError(status: status, "starting \(name)")
        }
    }

    /// Sends a signal to it and to what it has started. Nothing happens where it has ended.
    package func signal(_ number: Int32) {
        loop.assertCurrent()
        guard ended != nil else { return }
        // It leads a process group of its own.
        uv_kill(-handle.pointee.pid, number)
    }

    func loopIsStopping() { close() }

    deinit { handle.deallocate() }

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
        _ folder: String?, _ loop: EventLoop
    ) -> Int32 {
        let environment = environment(adding: variables)
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        let place = folder.flatMap { strdup($0) }
        defer { for text in arguments + settings + [place] { free(text) } }
        var streams = [uv_stdio_container_t(), uv_stdio_container_t(), uv_stdio_container_t()]
        streams[0].flags = UV_IGNORE
        for index in 1...2 {
            streams[index].flags = UV_INHERIT_FD
            streams[index].data.fd = 2
        }
        let file = arguments[0]
        return arguments.withUnsafeMutableBufferPointer { arguments in
            settings.withUnsafeMutableBufferPointer { settings in
                streams.withUnsafeMutableBufferPointer { streams in
                    var options = uv_process_options_t()
                    options.file = UnsafePointer(file)
                    options.args = arguments.baseAddress
                    options.env = settings.baseAddress
                    options.cwd = UnsafePointer(place)
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

    /// This process's environment, with these variables: `NAME=VALUE` each.
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

/// The descriptors of this process.
package enum OpenDescriptors {
    /// Closes all from this one on, whoever opened them. To be called before there is another thread.
    package static func close(from first: Int32) { lockstep_close_from(first) }
}
