import { Document, isMap, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { ChannelError } from '../errors.ts'
import { type PlatformId, platformNamed } from '../platform-names.ts'
import type { StoredChannel, StoredChannels } from './credential-store.ts'

/** The text of `channels.yml`: a map from platform to its channel. Comments and the order of keys survive a change. */

const HEADER = ` Channels of one account. Written by Gatepost; edits by hand are noticed and taken over.
 This file holds secrets: it must stay readable by its owner only (mode 0600).`

/** A user id may be written without quotes: YAML then reads a number. */
const userId = z.union([z.string().min(1), z.number().int().transform(String)])
const channelSchema = z.looseObject({
  enabled: z.boolean().default(true),
  allowed_users: z.array(userId).default([]),
})

/** @throws {ChannelError} `config_broken` naming line and column; never the text, which may hold a secret. */
export function parseChannelFile(text: string, file: string): StoredChannels {
  const { document, lines } = read(text, file)
  const channels: Partial<Record<PlatformId, StoredChannel>> = {}
  if (document.contents === null) return channels
  if (!isMap(document.contents)) throw broken(file, 'it must be a map from platform to its settings', 1, 1)
  for (const pair of document.contents.items) {
    const node = pair.key as { readonly value?: unknown; readonly range?: readonly number[] } // a scalar key: anything else has no value
    const at = lines.linePos(node.range?.[0] ?? 0)
    const platform = typeof node.value === 'string' ? platformNamed(node.value) : undefined
    if (!platform) throw broken(file, 'this is not the name of a platform', at.line, at.col)
    if (channels[platform]) throw broken(file, `${platform} stands here a second time`, at.line, at.col)
    const parsed = channelSchema.safeParse(document.toJS({ maxAliasCount: 100 })[String(node.value)])
    if (!parsed.success) {
      const field = parsed.error.issues[0]?.path.join('.') ?? ''
      throw broken(file, `${platform}${field === '' ? '' : `.${field}`} does not have the right form`, at.line, at.col)
    }
    const { enabled, allowed_users: allowedUsers, ...credentials } = parsed.data
    channels[platform] = { enabled, allowedUsers, credentials }
  }
  return channels
}

/** The file's text with one channel set or removed. @throws {ChannelError} `config_broken` */
export function editChannelFile(
  text: string,
  file: string,
  platform: PlatformId,
  channel: StoredChannel | undefined,
): string {
  const { document } = read(text, file)
  if (document.contents === null) {
    const fresh = new Document({})
    fresh.commentBefore = HEADER
    return edit(fresh, platform, channel).toString()
  }
  return edit(document, platform, channel).toString()
}

function edit(document: Document, platform: PlatformId, channel: StoredChannel | undefined): Document {
  const written = writtenName(document, platform)
  if (!channel) {
    document.delete(written)
    return document
  }
  const fields = { enabled: channel.enabled, ...channel.credentials, allowed_users: [...channel.allowedUsers] }
  if (!isMap(document.get(written))) document.set(written, document.createNode({}))
  const map = document.get(written)
  if (!isMap(map)) return document
  const keep = new Set(Object.keys(fields))
  for (const { key } of [...map.items]) if (!keep.has(String(key))) map.delete(key)
  for (const [key, value] of Object.entries(fields)) {
    const before = map.get(key)
    // an unchanged value keeps its comments
    if (JSON.stringify(isMap(before) ? before.toJSON() : before) === JSON.stringify(value)) continue
    map.set(key, document.createNode(value))
  }
  return document
}

/** The key under which the platform stands in this file: its name or an alias. */
function writtenName(document: Document, platform: PlatformId): string {
  if (!isMap(document.contents)) return platform
  const names = document.contents.items.map((pair) => String(pair.key))
  return names.find((name) => platformNamed(name) === platform) ?? platform
}

function read(text: string, file: string): { document: Document.Parsed; lines: LineCounter } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const problem = document.errors[0]
  if (problem) {
    const at = lines.linePos(problem.pos[0])
    // the parser's message can quote the line, and with it a secret: its code says enough
    throw broken(file, problem.code.toLowerCase().replaceAll('_', ' '), at.line, at.col)
  }
  return { document, lines }
}

const broken = (file: string, why: string, line: number, column: number): ChannelError =>
  new ChannelError('config_broken', {
    message: `${file} cannot be read: line ${line}, column ${column}: ${why}.`,
    details: { line, column },
  })
