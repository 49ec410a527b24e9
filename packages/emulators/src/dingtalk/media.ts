import { type FormPart, splitForm } from '../kit/http.ts'
import { forgetOldest } from '../kit/bounded-log.ts'
import { ok, requireToken, type Call, type Reply } from './call.ts'
import { DingtalkFailure } from './faults.ts'
import type { DingtalkState, FileTransaction } from './state.ts'

const MB = 1024 * 1024
/** Largest file by type, bytes. */
const SIZES: Readonly<Record<string, number>> = { image: 20 * MB, voice: 2 * MB, video: 20 * MB, file: 20 * MB }
const KEPT_MS = 3 * 24 * 60 * 60_000

/** `POST /media/upload` */
export function upload(call: Call): Reply {
  const { state, target } = call
  requireToken(call, 'old')
  const type = target.searchParams.get('type') ?? ''
  const part = formOf(call).find(({ name }) => name === 'media')
  const limit = Object.hasOwn(SIZES, type) ? SIZES[type] : undefined
  if (limit === undefined || part === undefined || part.fileName === null) throw new DingtalkFailure(40035)
  if (part.bytes.length === 0 || part.bytes.length > limit) throw new DingtalkFailure(40035, 'file size')
  return kept(state, type, part.fileName, part)
}

/** `/file/upload/transaction/enable`: begins a file that comes in pieces. */
export function enableFile(call: Call): Reply {
  const { state } = call
  requireToken(call, 'old')
  const total = Number(valueOf(call, 'total_chunks') ?? valueOf(call, 'chunk_numbers'))
  if (!Number.isInteger(total) || total < 1) throw new DingtalkFailure(40035, 'total_chunks')
  const uploadId = state.nextId('upload')
  state.transactions.set(uploadId, { total, name: valueOf(call, 'file_name') ?? 'file', chunks: new Map() })
  forgetOldest(state.transactions, 100)
  return ok({ upload_id: uploadId })
}

/** `/file/upload/chunk`: pieces are counted from 1. */
export function fileChunk(call: Call): Reply {
  requireToken(call, 'old')
  const transaction = find(call)
  const index = Number(valueOf(call, 'chunk_number'))
  const part = formOf(call).find(({ fileName }) => fileName !== null)
  const isInRange = Number.isInteger(index) && index >= 1 && index <= transaction.total
  if (!isInRange || part === undefined) throw new DingtalkFailure(40035, 'chunk_number')
  transaction.chunks.set(index, part)
  return ok()
}

/** `/file/upload/transaction/submit` */
export function submitFile(call: Call): Reply {
  const { state } = call
  requireToken(call, 'old')
  const { chunks, total, name } = find(call)
  if (chunks.size !== total) throw new DingtalkFailure(40035, 'chunks are missing')
  const parts = [...chunks].toSorted(([a], [b]) => a - b).map(([, part]) => part)
  state.transactions.delete(valueOf(call, 'upload_id') ?? '')
  return kept(state, 'file', name, { mimeType: '', bytes: Buffer.concat(parts.map(({ bytes }) => bytes)) })
}

function kept(state: DingtalkState, type: string, name: string, part: Pick<FormPart, 'bytes' | 'mimeType'>): Reply {
  const mediaId = state.nextId('@lADP')
  const { bytes, mimeType } = part
  const now = state.clock.now()
  state.media.put(mediaId, { type, name, mimeType, bytes, untilMs: now + KEPT_MS })
  return ok({ type, media_id: mediaId, created_at: now })
}

function find(call: Call): FileTransaction {
  const transaction = call.state.transactions.get(valueOf(call, 'upload_id') ?? '')
  if (transaction === undefined) throw new DingtalkFailure(40035, 'upload_id')
  return transaction
}

const formOf = ({ bytes, headers }: Call): readonly FormPart[] => splitForm(bytes, headers['content-type'] ?? '') ?? []

/** A field of the query, of the form or of the JSON body. */
function valueOf(call: Call, name: string): string | null {
  const field = formOf(call).find((part) => part.name === name)
  if (field) return Buffer.from(field.bytes).toString('utf8')
  const value = call.target.searchParams.get(name) ?? call.fields[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
