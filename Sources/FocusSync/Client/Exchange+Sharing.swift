import FocusCore

// What the server is given, or asked for, besides events.
extension Exchange {
    /// Gives the server more of what it lacks, as far as there is room.
    mutating func share(_ line: inout ClientLine) {
        while line.unsent <= Limits.unsent, let request = shared.next() { line.send(request.message) }
    }

    /// Asks the server for something of the group.
    mutating func ask(_ request: GroupRequest, _ line: inout ClientLine) {
        if case .successor = request, shared.isGiving {
            // The server may lack the epoch before it.
            shared.append(request)
        } else {
            line.send(request.message)
        }
    }

    /// The server refused something: where that only puts off what it was given without being asked for, nobody has to
    /// hear of it.
    mutating func refused(_ subject: Digest, _ refusal: Refusal, _ line: inout ClientLine) {
        guard refusal.code == .rate, case .after(let asked) = refusal.retry, shared.include(subject)
        else { return line.append(.refused(subject, refusal)) }
        let wait = asked > .zero ? max(asked, SharedRecords.leastWait) : Limits.retry
        shared.putOff(subject, until: line.now + wait)
    }

    /// Gives what was put off again where its time has come, and what was refused for want of an epoch right after it.
    mutating func shareAgain(_ line: inout ClientLine) {
        guard let due = shared.due, due <= line.now else { return }
        shared.resume()
        share(&line)
        uploadLacking(at: line.now)
    }

    /// The server turned out to lack the record of an epoch: it is given these, and what it refused for want of one right
    /// after them.
    ///
    /// - Returns: false where it was given all of them before.
    mutating func give(_ records: [EpochRecord], _ line: inout ClientLine) -> Bool {
        guard shared.add(records) else { return false }
        share(&line)
        uploadLacking(at: line.now)
        retryStopped(&line)
        return true
    }

    /// What was refused for want of an epoch's record may be uploaded again.
    private mutating func uploadLacking(at now: SteadyInstant) {
        for (replica, standing) in replicas {
            guard case .stopped(var stop) = standing.work, stop.lacksEpoch else { continue }
            stop.until = now
            replicas[replica]?.work = .stopped(stop)
        }
    }
}
