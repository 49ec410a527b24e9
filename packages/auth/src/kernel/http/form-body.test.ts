import { expect, it } from 'vitest'
import { readForm } from './form-body.ts'

const post = (body: NonNullable<RequestInit['body']> | null, type?: string): Request =>
  new Request('https://id.test/', {
    method: 'POST',
    body,
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  })
const URLENCODED = 'application/x-www-form-urlencoded'

it('reads a form in each of its shapes', async () => {
  expect(await readForm(post('login=Ada+L&password=%C3%A4%26&login=Bob', URLENCODED))).toEqual(
    new Map([
      ['login', 'Bob'],
      ['password', 'ä&'],
    ]),
  )
  const multipart = new FormData()
  multipart.set('email', 'ada@example.org')
  multipart.set('file', new Blob(['x']), 'x.txt')
  expect(await readForm(post(multipart))).toEqual(new Map([['email', 'ada@example.org']]))
  expect(await readForm(post('{"email":"a@b.c","remember":true,"next":null}', 'application/json'))).toEqual(
    new Map([
      ['email', 'a@b.c'],
      ['remember', 'on'],
    ]),
  )
  expect(await readForm(post(null))).toEqual(new Map())
})

it('has no half of a surrogate pair, in whatever shape it came', async () => {
  const replaced = new Map([['login', 'a\ufffd']])
  expect(await readForm(post('{"login":"a\\ud800"}', 'application/json'))).toEqual(replaced)
  expect(await readForm(post(new URLSearchParams({ login: 'a\ud800' }).toString(), URLENCODED))).toEqual(replaced)
})

it.each([
  ['another type', 'x=1', 'text/plain'],
  ['a broken escape', 'a=%zz', URLENCODED],
  ['bytes that are no UTF-8', new Uint8Array([0x61, 0x3d, 0xff]), URLENCODED],
  ['broken JSON', '{"a":', 'application/json'],
  ['JSON that is no object', '["a"]', 'application/json'],
  ['nested JSON', '{"a":{"b":1}}', 'application/json'],
  ['multipart without a boundary', 'x', 'multipart/form-data'],
  [
    'multipart that does not end',
    '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nx',
    'multipart/form-data; boundary=b',
  ],
])('refuses %s', async (_why, body, type) => {
  await expect(readForm(post(body, type))).rejects.toMatchObject({ code: 'form_malformed' })
})

it('refuses oversized bodies', async () => {
  await expect(readForm(post(`a=${'x'.repeat(200_000)}`, URLENCODED))).rejects.toMatchObject({ code: 'form_too_large' })
  const fields = Array.from({ length: 5000 }, (_, index) => `f${index}=1`).join('&')
  await expect(readForm(post(fields, URLENCODED))).rejects.toMatchObject({ code: 'form_too_large' })
})
