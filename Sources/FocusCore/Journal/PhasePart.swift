/// A span of a phase of a run: what the sources of records that come from runs name.
package struct PhasePart: Hashable, Sendable {
    /// The phase that the span is of.
    package let phase: RecordName
    /// 0 for the phase's first span.
    package let index: Int

    /// The span of this place among the phase's.
    package init(_ phase: RecordName, _ index: Int) {
        self.phase = phase
        self.index = index
    }

    /// The source that names it: `1763661600000.0@9f2c6a1b00d4e7aa/0/0`.
    package var source: String { "\(phase.run.text)/\(phase.ordinal)/\(index)" }
}
