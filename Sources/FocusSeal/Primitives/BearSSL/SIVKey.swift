import CBearSSL

/// A key for AES-SIV, by BearSSL, which has AES in counter mode and in CBC-MAC. SIV consists of both (RFC
/// 5297). BearSSL's AES takes the same time for all keys and texts.
///
/// `@unchecked Sendable`: after `init` the contexts are only read.
final class SIVKey: DeterministicCipher, @unchecked Sendable {
    private let authentication = SecretContext(br_aes_ct_ctrcbc_keys())
    private let encryption = SecretContext(br_aes_ct_ctrcbc_keys())
    /// CMAC's first subkey, K1 (RFC 4493 §2.3). The second one is its double.
    private let subkey = SecretContext(Block(0))

    static let keyLength = 64
    static let overhead = 16

    init(_ key: SecretBytes) throws(SealError) {
        guard key.count == SIVKey.keyLength else {
            throw SealError(.malformedKey, "a sealing key has the wrong length")
        }
        let half = SIVKey.keyLength / 2
        key.withBytes { key in
            key.withUnsafeBytes {
                br_aes_ct_ctrcbc_init(authentication.pointer, $0.baseAddress, half)
                br_aes_ct_ctrcbc_init(encryption.pointer, $0.baseAddress?.advanced(by: half), half)
            }
        }
        subkey.pointer.pointee = encrypted(0).doubled
    }

    func seal(_ plain: RawSpan, associated: [[UInt8]]) throws(SealError) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: SIVKey.overhead + plain.byteCount)
        plain.withUnsafeBytes { plain in
            let vector = vector(plain, associated)
            sealed.withUnsafeMutableBytes { sealed in
                sealed.storeBytes(of: vector, as: Block.self)
                let text = UnsafeMutableRawBufferPointer(rebasing: sealed[SIVKey.overhead...])
                text.copyMemory(from: plain)
                crypt(text, vector)
            }
        }
        return sealed
    }

    func open(_ sealed: RawSpan, associated: [[UInt8]]) throws(SealError) -> [UInt8] {
        guard sealed.byteCount > SIVKey.overhead else {
            throw SealError(.notAuthentic, "a sealed text is too short")
        }
        var plain = [UInt8](repeating: 0, count: sealed.byteCount - SIVKey.overhead)
        let isAuthentic = plain.withUnsafeMutableBytes { plain in
            sealed.withUnsafeBytes { sealed in
                let claimed = sealed.loadUnaligned(as: Block.self)
                plain.copyMemory(from: UnsafeRawBufferPointer(rebasing: sealed[SIVKey.overhead...]))
                crypt(plain, claimed)
                // Constant time: all 128 bits are compared at once.
                let isAuthentic = vector(UnsafeRawBufferPointer(plain), associated) ^ claimed == 0
                if !isAuthentic { wipe(plain) }
                return isAuthentic
            }
        }
        guard isAuthentic else { throw SealError(.notAuthentic, "a sealed text is not authentic") }
        return plain
    }

    /// Encrypts or decrypts the text in place, in counter mode.
    private func crypt(_ text: UnsafeMutableRawBufferPointer, _ vector: Block) {
        // RFC 5297 §2.5: two bits of the synthetic IV are cleared.
        var counter = vector & ~(1 << 63 | 1 << 31 as Block).bigEndian
        let whole = text.count / 16 * 16
        br_aes_ct_ctrcbc_ctr(encryption.pointer, &counter, text.baseAddress, whole)
        guard whole < text.count else { return }
        let rest = UnsafeMutableRawBufferPointer(rebasing: text[whole...])
        withBlocks(1) { last in
            last.copyMemory(from: UnsafeRawBufferPointer(rest))
            br_aes_ct_ctrcbc_ctr(encryption.pointer, &counter, last.baseAddress, last.count)
            rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: last[..<rest.count]))
        }
    }

    /// Returns the synthetic IV: S2V (RFC 5297 §2.4).
    private func vector(_ plain: UnsafeRawBufferPointer, _ associated: [[UInt8]]) -> Block {
        var sum = encrypted(subkey.pointer.pointee)
        for string in associated { sum = sum.doubled ^ string.withUnsafeBytes { mac($0) } }
        guard plain.count < 16 else { return mac(plain, endMask: sum) }
        return withBlocks(1) { last in
            last.copyMemory(from: plain)
            last[plain.count] = 0x80
            let text = last.loadUnaligned(as: Block.self) ^ sum.doubled
            return encrypted(text ^ subkey.pointer.pointee)
        }
    }

    /// Returns the CMAC (RFC 4493) of the text after `endMask` is combined with its last 16 bytes by
    /// exclusive or. A text with a mask has at least 16 bytes.
    private func mac(_ text: UnsafeRawBufferPointer, endMask: Block = 0) -> Block {
        // The mask may reach into the last block but one.
        let tailLength = min(text.count, 16 + text.count % 16)
        let whole = text.count - tailLength
        var mac: Block = 0
        br_aes_ct_ctrcbc_mac(authentication.pointer, &mac, text.baseAddress, whole)
        return withBlocks(2) { tail in
            tail.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[whole...]))
            if endMask != 0 { tail.combine(endMask, at: tailLength - 16) }
            let isWhole = tailLength == 16
            if !isWhole { tail[tailLength] = 0x80 }
            let length = tailLength <= 16 ? 16 : 32
            let subkey = subkey.pointer.pointee
            tail.combine(isWhole ? subkey : subkey.doubled, at: length - 16)
            br_aes_ct_ctrcbc_mac(authentication.pointer, &mac, tail.baseAddress, length)
            return mac
        }
    }

    /// Returns the block, encrypted with the key for authentication.
    private func encrypted(_ block: Block) -> Block {
        var (mac, block) = (Block(0), block)
        br_aes_ct_ctrcbc_mac(authentication.pointer, &mac, &block, 16)
        return mac
    }

    /// Calls `body` with memory for `count` blocks, which is zero before and overwritten after.
    private func withBlocks<Result>(
        _ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: 16 * count, alignment: 16) { blocks in
            blocks.initializeMemory(as: UInt8.self, repeating: 0)
            defer { wipe(blocks) }
            return body(blocks)
        }
    }
}

/// A block of AES: 16 bytes, in their order in memory.
private typealias Block = UInt128

extension Block {
    /// The double of the block in GF(2^128) (RFC 5297 §2.3). It is computed without a branch.
    fileprivate var doubled: Block {
        let number = Block(bigEndian: self)
        return (number &<< 1 ^ 0x87 & (0 &- number &>> 127)).bigEndian
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Combines 16 bytes from `offset` on with those of the block by exclusive or.
    fileprivate func combine(_ block: Block, at offset: Int) {
        let sum = loadUnaligned(fromByteOffset: offset, as: Block.self) ^ block
        storeBytes(of: sum, toByteOffset: offset, as: Block.self)
    }
}
