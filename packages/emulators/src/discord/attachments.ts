import { createHmac } from 'node:crypto'
import { FileStore } from '../kit/file-store.ts'

export interface StoredAttachment {
  readonly id: string
  readonly channelId: string
  readonly name: string
  readonly mimeType: string
  /** As the platform says it. */
  readonly size: number
  readonly kind: 'image' | 'voice' | 'other'
}

/** The files of messages, at signed addresses that end to be valid. */
export class Attachments {
  readonly #lifeMs: number
  readonly #files: FileStore
  readonly #baseUrl: () => string

  /** @param lifeMs Of a signature. @param capacityBytes How much is kept. */
  constructor(lifeMs: number, capacityBytes: number, baseUrl: () => string) {
    this.#lifeMs = lifeMs
    this.#files = new FileStore(capacityBytes)
    this.#baseUrl = baseUrl
  }

  put(attachment: StoredAttachment, bytes: Uint8Array): void {
    const { id, name, mimeType } = attachment
    this.#files.put(id, { name, mimeType, bytes, untilMs: Number.POSITIVE_INFINITY })
  }

  /** As a message brings it, with a fresh signature. */
  fields(attachment: StoredAttachment, nowMs: number): Readonly<Record<string, unknown>> {
    const { id, channelId, name, mimeType, size, kind } = attachment
    const path = `/attachments/${channelId}/${id}/${encodeURIComponent(name)}`
    const ends = Math.floor((nowMs + this.#lifeMs) / 1_000).toString(16)
    const begins = Math.floor(nowMs / 1_000).toString(16)
    const url = `${this.#baseUrl()}${path}?ex=${ends}&is=${begins}&hm=${signature(path, ends, begins)}&`
    return {
      id,
      filename: name,
      ...(mimeType !== '' && { content_type: mimeType }),
      size,
      url,
      proxy_url: url,
      ...(kind === 'image' && { width: 1, height: 1 }),
      ...(kind === 'voice' && { duration_secs: 1, waveform: 'AAAA' }),
    }
  }

  /** `null`: there is no such file, or the address is not valid (any more). */
  open(url: URL, nowMs: number): { readonly bytes: Uint8Array; readonly mimeType: string } | null {
    const [ends, begins] = [url.searchParams.get('ex') ?? '', url.searchParams.get('is') ?? '']
    if (url.searchParams.get('hm') !== signature(url.pathname, ends, begins)) return null
    if (Number.parseInt(ends, 16) * 1_000 <= nowMs) return null
    return this.#files.get(url.pathname.split('/')[3] ?? '', nowMs)
  }
}

const signature = (path: string, ends: string, begins: string): string =>
  createHmac('sha256', 'made up').update(`${path}\n${ends}\n${begins}`).digest('hex')
