import { isRecord } from '../../kit/body.ts'
import { scalarLength } from '../entities/length.ts'
import { badRequest } from '../failure.ts'
import type { Parameters } from '../parameters.ts'
import type { RichMessage } from '../wire.ts'

/** Largest rich message: Unicode scalars of its source, or of the texts in its blocks. */
const SCALAR_LIMIT = 32_768
const BLOCK_LIMIT = 500

/**
 * The rich message of a call, unparsed; null when there is none. The documentation gives the limits, not the words of
 * the refusal, and not whether a block in a block counts: here it does.
 * @throws {TelegramFailure} 400 when it holds none of the three forms, or too much
 */
export function readRich(parameters: Parameters): RichMessage | null {
  const given = parameters.object('rich_message')
  if (given === undefined) return null
  const { markdown, html, blocks } = given
  for (const source of [markdown, html]) if (typeof source === 'string') limit(scalarLength(source), SCALAR_LIMIT)
  if (typeof markdown === 'string' && markdown.trim() !== '') return { markdown }
  if (typeof html === 'string' && html.trim() !== '') return { html }
  if (!Array.isArray(blocks) || blocks.length === 0 || !blocks.every(isRecord))
    throw badRequest('rich_message is empty')
  const size = sizeOf(blocks)
  limit(size.scalars, SCALAR_LIMIT)
  limit(size.blocks, BLOCK_LIMIT)
  return { blocks }
}

function limit(size: number, most: number): void {
  if (size > most) throw badRequest('message is too long')
}

interface Size {
  readonly scalars: number
  readonly blocks: number
}

/** Every object with a `type` in a list of `blocks` counts as one, every string named `text` with its length. */
function sizeOf(blocks: readonly unknown[]): Size {
  let scalars = 0
  let count = 0
  const open: { readonly value: unknown; readonly name: string }[] = blocks.map((value) => ({ value, name: 'blocks' }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name } = next
    if (typeof value === 'string' && name === 'text') scalars += scalarLength(value)
    if (Array.isArray(value)) for (const item of value) open.push({ value: item, name })
    if (!isRecord(value)) continue
    if (name === 'blocks') count++
    for (const [key, member] of Object.entries(value)) open.push({ value: member, name: key })
  }
  return { scalars, blocks: count }
}
