import { type Document, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { z } from 'zod'
import { ChannelError } from '../errors.ts'
import { type PlatformId, parsePlatformId } from '../platform-names.ts'
import { GROUP_POLICIES, type StoredChannel, type StoredChannels } from './credential-store.ts'

// The text of `channels.yml`: a map from platform to its channel. Comments and the order of keys survive a change.

/** Comment at the top of a new file. */
const HEADER = ` Channels of one account. Written by Gatepost; manual edits are picked up automatically.
 This file contains secrets: keep it readable by its owner only (mode 0600).`

/** Ids may exceed the range of a double. `logLevel`: the parser's warnings quote the text. */
const READ = { prettyErrors: false, intAsBigInt: true, logLevel: 'error' } as const
const WRITE = { lineWidth: 0, flowCollectionPadding: false } as const

/** A user id may be unquoted, which YAML reads as a number. */
const userId = z.union([z.string().min(1), z.number().int().transform(String)])
const channelSchema = z.looseObject({
  enabled: z.boolean().default(true),
  allowed_users: z.array(userId).default([]),
  group_policy: z.enum(GROUP_POLICIES).optional(),
})

/** Parses `channels.yml`. @throws {ChannelError} `config_broken` with line and column, never the text (secrets) */
export function parseChannelFile(text: string, file: string): StoredChannels {
  const { document, at } = read(text, file)
  const channels: Partial<Record<PlatformId, StoredChannel>> = {}
  const root = document.contents
  if (root === null) return channels
  if (!isMap(root)) throw toConfigError(file, 'it must be a map from platform to its settings', at(root))
  const values = toPlainValues(document)
  for (const { key } of root.items) {
    const name = isScalar(key) && typeof key.value === 'string' ? key.value : ''
    const platform = parsePlatformId(name)
    if (!platform) throw toConfigError(file, 'unknown platform', at(key))
    if (channels[platform]) throw toConfigError(file, `${platform} is listed twice`, at(key))
    const parseYaml = channelSchema.safeParse(values[name])
    if (!parseYaml.success) {
      const path = parseYaml.error.issues[0]?.path ?? []
      const node = document.getIn([name, ...path], true)
      const what = [platform, ...path].join('.')
      throw toConfigError(file, `${what} is malformed`, at(path.length > 0 && isNode(node) ? node : key))
    }
    const { enabled, allowed_users: allowedUsers, group_policy: groupPolicy, ...credentials } = parseYaml.data
    channels[platform] = { enabled, allowedUsers, ...(groupPolicy && { groupPolicy }), credentials }
  }
  return channels
}

/** Returns the file's text with one channel set or removed. @throws {ChannelError} `config_broken` */
export function editChannelFile(
  text: string,
  file: string,
  platform: PlatformId,
  channel: StoredChannel | undefined,
): string {
  const document: Document = read(text, file).document
  if (document.contents === null) {
    document.contents = document.createNode({})
    document.commentBefore = document.commentBefore ?? document.comment ?? HEADER
    document.comment = null
  }
  const written = writtenName(document, platform)
  if (channel) setChannel(document, written, channel)
  else document.delete(written)
  return document.toString(WRITE)
}

function setChannel(document: Document, written: string, channel: StoredChannel): void {
  const fields = {
    enabled: channel.enabled,
    ...channel.credentials,
    allowed_users: [...channel.allowedUsers],
    ...(channel.groupPolicy && { group_policy: channel.groupPolicy }),
  }
  const before = toPlainValues(document)[written]
  const map = document.get(written)
  if (!isMap(map)) return document.set(written, document.createNode(fields))
  const stored: Readonly<Record<string, unknown>> = channelSchema.safeParse(before).data ?? {}
  for (const { key } of map.items.filter(({ key }) => !(String(key) in fields))) map.delete(key)
  for (const [key, value] of Object.entries(fields)) {
    // an unchanged value keeps its formatting
    if (map.has(key) && JSON.stringify(stored[key]) === JSON.stringify(value)) continue
    const old = map.get(key, true)
    const fresh = document.createNode(value)
    if (isNode(old) && isNode(fresh)) {
      if (old.comment) fresh.comment = old.comment
      if (old.commentBefore) fresh.commentBefore = old.commentBefore
      if (isCollection(old) && isCollection(fresh) && old.flow === true) fresh.flow = true
    }
    map.set(key, fresh)
  }
}

/** Returns the platform's key in this file: its id or an alias. */
function writtenName(document: Document, platform: PlatformId): string {
  if (!isMap(document.contents)) return platform
  const names = document.contents.items.map((pair) => String(pair.key))
  return names.find((name) => parsePlatformId(name) === platform) ?? platform
}

/** Returns the whole file as values; integers beyond the range of a double become strings. */
function toPlainValues(document: Document): Readonly<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(
    document.toJS({
      reviver: (_key, value) => {
        if (typeof value !== 'bigint') return value
        return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
      },
    }),
  )
}

type Position = (node: unknown) => { readonly line: number; readonly col: number }

function read(text: string, file: string): { document: Document.Parsed; at: Position } {
  const lines = new LineCounter()
  const place = (offset: number): ReturnType<Position> => (text === '' ? { line: 1, col: 1 } : lines.linePos(offset))
  const at: Position = (node) => place(isNode(node) ? (node.range?.[0] ?? 0) : 0)
  const document = parseYaml(text, file, lines)
  const problem = document.errors[0]
  if (problem) {
    // the parser's message may quote the line, and with it a secret: its code is enough
    throw toConfigError(file, problem.code.toLowerCase().replaceAll('_', ' '), place(problem.pos[0]))
  }
  visit(document, {
    Alias: (_key, node) => {
      throw toConfigError(file, 'aliases are not supported', at(node))
    },
  })
  return { document, at }
}

function parseYaml(text: string, file: string, lineCounter: LineCounter): Document.Parsed {
  try {
    return parseDocument(text, { ...READ, lineCounter })
  } catch (error) {
    // stack overflow
    if (error instanceof RangeError) throw toConfigError(file, 'it is nested too deeply', { line: 1, col: 1 })
    throw error
  }
}

const toConfigError = (file: string, why: string, { line, col }: ReturnType<Position>): ChannelError =>
  new ChannelError('config_broken', {
    message: `Couldn't read ${file}: line ${line}, column ${col}: ${why}.`,
    details: { line, column: col },
  })
