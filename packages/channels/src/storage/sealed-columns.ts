import type { Sealer } from '@gatepost/sql'

/** The columns of a sealed text: its key's ID, and its bytes as base64url. */
interface SealedColumns {
  readonly key_id: string | null
  readonly sealed: string | null
}

/** Seals with the newest key, unless it already is. Returns `null` when no key can open it. */
export function resealColumns(sealer: Sealer, columns: SealedColumns, context: string): SealedColumns | null {
  if (columns.key_id === sealer.keyId) return columns
  const bytes = Buffer.from(columns.sealed ?? '', 'base64url')
  const text = sealer.open({ keyId: columns.key_id ?? '', bytes }, context)
  if (text === null) return null
  const resealed = sealer.seal(text, context)
  return { key_id: resealed.keyId, sealed: Buffer.from(resealed.bytes).toString('base64url') }
}
