import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, type TestBrowser } from './browser.ts'
import { pageFaults, walkFocus } from './page-checks.ts'

let html = ''
let server: Server
let origin: string
let browser: TestBrowser
beforeAll(async () => {
  browser = await launchBrowser()
  server = createServer((request, response) => {
    response.writeHead(request.url === '/' ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
    response.end(request.url === '/' ? `<!doctype html><html lang="en"><link rel="icon" href="data:,">${html}` : '')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(async () => {
  await browser.close()
  server.close()
})

/** Synchronous: the page is not there before it has asked. */
const ASKS =
  '<script>try{const x=new XMLHttpRequest();x.open("GET","http://127.0.0.1:1/",false);x.send()}catch{}</script>'

it.each([
  ['<script>console.error("odd")</script>', 'console: odd'],
  ['<script>throw new RangeError("bad")</script>', 'page: RangeError: bad'],
  ['<script>Promise.reject(new Error("lost"))</script>', 'page: Error: lost'],
  ['<img src="/missing.png">', '404'],
  ['<img src="http://example.org/x.png">', 'request to another origin: http://example.org/x.png'],
  [ASKS, 'request to another origin: http://127.0.0.1:1/'],
])('does not let %s pass', async (content, problem) => {
  html = content
  await browser.open(origin)
  await expect(browser.closePages()).rejects.toThrow(problem)
  html = '<p>Fine</p>'
  await browser.open(origin)
  await browser.closePages()
})

it.each([
  ['<p style="color: #999; background: #fff">pale</p>', ['contrast 2.85: pale']],
  ['<div style="background: #000"><p style="color: rgb(255 255 255 / 40%)">dim</p></div>', ['contrast 3.66: dim']],
  ['<p style="width: 3000px">wide</p>', [expect.stringMatching(/^the page is \d+ px too wide$/)]],
  ['<button></button>', ['no name: <button></button>']],
  ['<p>Black on white</p><button aria-label="Close"></button><p style="color: #999; display: none">hidden</p>', []],
])('sees what is wrong with %s', async (content, faults) => {
  html = content
  const page = await browser.open(origin)
  expect(await pageFaults(page)).toEqual(faults)
  await browser.closePages()
})

it('walks the focus, and sees where it cannot be seen', async () => {
  html = '<a href="#">one</a><button>two</button><button tabindex="-1">no</button><button style="outline: none">three'
  const page = await browser.open(origin)
  expect(await walkFocus(page, 'Tab')).toEqual([
    { name: 'one', isVisible: true },
    { name: 'two', isVisible: true },
    { name: 'three', isVisible: false },
  ])
  await browser.closePages()
})
