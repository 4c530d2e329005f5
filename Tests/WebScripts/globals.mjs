// Gives Node 18 what browsers and later versions of Node have.
import { webcrypto } from "node:crypto";

globalThis.crypto ??= webcrypto;
