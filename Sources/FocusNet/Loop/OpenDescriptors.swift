import CLibUV

/// The descriptors of this process.
package enum OpenDescriptors {
    /// Closes all from this one on, whoever opened them. To be called before there is another thread.
    package static func close(from first: Int32) { lockstep_close_from(first) }
}
