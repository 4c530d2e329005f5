import FocusContact
import FocusDevice
import FocusFront
import FocusHTTP
import FocusNet

// The longer the log, the longer it takes to make a document. A separate thread makes documents, so that
// presses don't wait.
extension PageServer {
    /// Makes a document on the reader's thread, then answers with it.
    func send(
        _ document: @escaping PageDocuments.Maker, to exchange: HTTPExchange
    ) throws(PageError) {
        let reader =
            if let present = self.reader { present } else {
                try PageServer.makeLoop()
            }
        self.reader = reader
        lastRequestID += 1
        let id = lastRequestID
        pendingDocuments[id] = exchange
        reader.run { [self, context] in
            let result: Result<PageAnswer, PageError>
            do throws(PageError) {
                let device = try mapError(PageError.device) { () throws(DeviceFailure) in
                    try context.openDevice()
                }
                result = .success(try document(device, self.documents))
            } catch {
                result = .failure(error)
            }
            loop.run {
                self.pendingDocuments.removeValue(forKey: id)?.send(
                    self.response { () throws(PageError) in try result.get() })
                self.scheduleMemoryReturn()
            }
        }
    }

    /// Forgets the documents and returns memory to the system 10 seconds after the last document, when that has
    /// been sent. Another document restarts the 10 seconds, because making it needs the memory again.
    private func scheduleMemoryReturn() {
        memoryTimer?.cancel()
        memoryTimer = loop.schedule(after: .seconds(10)) { [weak self] in self?.returnMemory() }
    }

    private func returnMemory() {
        reader?.run { [self] in
            documents.removeAll()
            loop.run { self.agent.returnMemory() }
        }
    }
}
