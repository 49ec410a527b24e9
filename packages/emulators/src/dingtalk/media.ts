import { type FormPart, splitForm } from '../kit/http.ts'
import { evictOldest } from '../kit/bounded-log.ts'
import { oldApiReply, requireToken, type ApiCall, type Reply } from './call.ts'
import { DingtalkFailure } from './faults.ts'
import type { DingtalkState, FileTransaction } from './state.ts'

const MB = 1024 * 1024
/** Maximum file size by type, in bytes. */
const SIZES: Readonly<Record<string, number>> = { image: 20 * MB, voice: 2 * MB, video: 20 * MB, file: 20 * MB }
const KEPT_MS = 3 * 24 * 60 * 60_000

/** Handles `POST /media/uploadMedia`. */
export function uploadMedia(call: ApiCall): Reply {
  const { state, target } = call
  requireToken(call, 'old')
  const type = target.searchParams.get('type') ?? ''
  const part = parseForm(call).find(({ name }) => name === 'media')
  const limit = Object.hasOwn(SIZES, type) ? SIZES[type] : undefined
  if (limit === undefined || part === undefined || part.fileName === null) throw new DingtalkFailure(40035)
  if (part.bytes.length === 0 || part.bytes.length > limit) throw new DingtalkFailure(40035, 'file size')
  return storeMedia(state, type, part.fileName, part)
}

/** Handles `/file/uploadMedia/transaction/enable`: starts a chunked uploadMedia. */
export function startChunkedUpload(call: ApiCall): Reply {
  const { state } = call
  requireToken(call, 'old')
  const total = Number(findField(call, 'total_chunks') ?? findField(call, 'chunk_numbers'))
  if (!Number.isInteger(total) || total < 1) throw new DingtalkFailure(40035, 'total_chunks')
  const uploadId = state.nextId('upload')
  state.transactions.set(uploadId, { total, name: findField(call, 'file_name') ?? 'file', chunks: new Map() })
  evictOldest(state.transactions, 100)
  return oldApiReply({ upload_id: uploadId })
}

/** Handles `/file/uploadMedia/chunk`; chunks are numbered from 1. */
export function uploadChunk(call: ApiCall): Reply {
  requireToken(call, 'old')
  const transaction = requireTransaction(call)
  const index = Number(findField(call, 'chunk_number'))
  const part = parseForm(call).find(({ fileName }) => fileName !== null)
  const isInRange = Number.isInteger(index) && index >= 1 && index <= transaction.total
  if (!isInRange || part === undefined) throw new DingtalkFailure(40035, 'chunk_number')
  transaction.chunks.set(index, part)
  return oldApiReply()
}

/** Handles `/file/uploadMedia/transaction/submit`. */
export function finishChunkedUpload(call: ApiCall): Reply {
  const { state } = call
  requireToken(call, 'old')
  const { chunks, total, name } = requireTransaction(call)
  if (chunks.size !== total) throw new DingtalkFailure(40035, 'chunks are missing')
  const parts = [...chunks].toSorted(([a], [b]) => a - b).map(([, part]) => part)
  state.transactions.delete(findField(call, 'upload_id') ?? '')
  return storeMedia(state, 'file', name, { mimeType: '', bytes: Buffer.concat(parts.map(({ bytes }) => bytes)) })
}

function storeMedia(
  state: DingtalkState,
  type: string,
  name: string,
  part: Pick<FormPart, 'bytes' | 'mimeType'>,
): Reply {
  const mediaId = state.nextId('@lADP')
  const { bytes, mimeType } = part
  const now = state.clock.now()
  state.media.put(mediaId, { type, name, mimeType, bytes, untilMs: now + KEPT_MS })
  return oldApiReply({ type, media_id: mediaId, created_at: now })
}

function requireTransaction(call: ApiCall): FileTransaction {
  const transaction = call.state.transactions.get(findField(call, 'upload_id') ?? '')
  if (transaction === undefined) throw new DingtalkFailure(40035, 'upload_id')
  return transaction
}

const parseForm = ({ bytes, headers }: ApiCall): readonly FormPart[] =>
  splitForm(bytes, headers['content-type'] ?? '') ?? []

/** Returns a field of the query, the form or the JSON body. */
function findField(call: ApiCall, name: string): string | null {
  const field = parseForm(call).find((part) => part.name === name)
  if (field) return Buffer.from(field.bytes).toString('utf8')
  const value = call.target.searchParams.get(name) ?? call.fields[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
