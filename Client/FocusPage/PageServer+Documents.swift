import FocusDevice
import FocusFront
import FocusHTTP
import FocusNet

// What is read of the log, and takes the longer the longer that is: on a thread of its own, so that nobody's press waits
// for it.
extension PageServer {
    /// Answers with a document, once it is made.
    func send(
        _ document: @escaping @Sendable (Device) throws(PageFailure) -> HTTPResponse,
        to exchange: HTTPExchange
    ) throws(PageFailure) {
        let reader =
            if let present = self.reader { present } else {
                try failing(PageFailure.network) { () throws(NetError) in try EventLoop() }
            }
        self.reader = reader
        lastErrand += 1
        let id = lastErrand
        reading[id] = exchange
        reader.run { [self, context] in
            let result: Result<HTTPResponse, PageFailure>
            do throws(PageFailure) {
                let device = try failing(PageFailure.device) { () throws(DeviceFailure) in
                    try context.openDevice()
                }
                result = .success(try document(device))
            } catch {
                result = .failure(error)
            }
            loop.run {
                self.reading.removeValue(forKey: id)?.send(
                    self.response { () throws(PageFailure) in try result.get() })
                self.giveMemoryBackLater()
            }
        }
    }

    /// What a document of a long history took isn't needed any more once nobody has asked for another one for a while, and
    /// the last one has gone out.
    private func giveMemoryBackLater() {
        givingBack?.cancel()
        givingBack = loop.schedule(after: .seconds(10), returnMemory)
    }
}
