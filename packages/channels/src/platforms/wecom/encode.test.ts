import fc from 'fast-check'
import { expect, it } from 'vitest'
import { closingContent, toContent, fileName, mediaTypeFor, ownId, push, wholeBlocks } from './encode.ts'
import { wecomDialect } from './dialect.ts'
import { renderMarkdown } from '../../markdown/render.ts'

const MB = 1024 * 1024
const chat = { id: 'c', kind: 'direct' } as const

it.each([
  ['image/png', 10 * MB, 'image'],
  ['image/jpeg; x=y', 1, 'image'],
  ['image/png', 10 * MB + 1, 'file'],
  ['image/gif', 1, 'file'],
  ['video/mp4', 10 * MB, 'video'],
  ['audio/amr', 2 * MB, 'voice'],
  ['audio/amr', 2 * MB + 1, 'file'],
  ['text/plain', 1, 'file'],
])('shows %s of %s bytes as %s', (mime, size, type) => {
  expect(mediaTypeFor(mime, size)).toBe(type)
})

it('says of what kind a chat is', () => {
  expect(push(chat, { msgtype: 'x' })).toEqual({ chatid: 'c', chat_type: 1, msgtype: 'x' })
  expect(push({ id: 'g', kind: 'group' }, { msgtype: 'x' })).toEqual({ chatid: 'g', chat_type: 2, msgtype: 'x' })
})

it('keeps the end of a long name, whole characters only', () => {
  const name = fileName(`${'名'.repeat(200)}.pdf`)
  expect(name.endsWith('名.pdf')).toBe(true)
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(256)
  expect(name).not.toContain('\uFFFD')
  expect(fileName('\n')).toBe('file')
})

it('names a delivery the same at every attempt, and another one otherwise', () => {
  expect(ownId('stream', 'a.1', 'R1')).toBe(ownId('stream', 'a.1', 'R1'))
  expect(new Set([ownId('stream', 'a.1', 'R1'), ownId('stream', 'a.1', 'R2'), ownId('push', 'a.1')]).size).toBe(3)
})

it('escapes plain text as far as there is room', () => {
  const part = { kind: 'text', deliveryId: 'a.1', chat, plain: true } as const
  expect(toContent({ ...part, body: '*not bold*' })).toBe('\\*not bold\\*')
  const full = '*'.repeat(18_000)
  expect(toContent({ ...part, body: full })).toBe(full)
})

it.each([
  ['', ''],
  ['one', ''],
  ['one\n\ntwo', 'one'],
  ['one\n\n', 'one'],
  ['one\n\n```\ncode\n\nmore', 'one'],
  ['one\n\n```\ncode\n\nmore\n```\n\nlast', 'one\n\n```\ncode\n\nmore\n```'],
])('finds what stands for itself in %j', (body, head) => {
  expect(wholeBlocks(body)).toBe(head)
})

it('loses nothing between what stands and what follows', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '\n', '\n\n', '```\n', 'b c'), { maxLength: 30 }), (pieces) => {
      const body = pieces.join('')
      const head = wholeBlocks(body)
      expect(body.startsWith(head)).toBe(true)
      expect(closingContent(head).trim()).not.toBe('')
    }),
  )
})

it.each([
  ['# Title\n\n**bold** and *italic*', '### Title\n\n**bold** and *italic*'],
  ['snake_case stays, _this_ does not', 'snake_case stays, *this* does not'],
  ['2 < 3 and 1 * 2', '2 < 3 and 1 \\* 2'],
  ['[site](https://e.example/a_(b))', '[site](https://e.example/a_%28b%29)'],
  ['> said\n> twice', '> said\n> twice'],
  ['```ts\nconst a = `x`\n```', '```ts\nconst a = `x`\n```'],
  ['- one\n  - two', '• one\n\u00a0\u00a0◦ two'],
  ['~~gone~~', 'gone'],
])('writes %j', (source, written) => {
  const [part] = renderMarkdown(source, { dialect: wecomDialect, max: 18_000, unit: 'bytes' })
  expect(part?.body.trim()).toBe(written)
})
