import { expect, it } from 'vitest'
import { hmacSha1, percentEncodeRfc3986, signatureBase, signRequest } from './exchange.ts'

const params = (text: string): [string, string][] => [...new URLSearchParams(text)]

it('percent-encodes all but unreserved characters, by octets of UTF-8', () => {
  expect(percentEncodeRfc3986("aZ9-._~ +%&=!*'()ä☃")).toBe('aZ9-._~%20%2B%25%26%3D%21%2A%27%28%29%C3%A4%E2%98%83')
})

it('builds the text of RFC 5849, section 3.4.1.1', () => {
  const given = params(
    'oauth_consumer_key=9djdj82h48djs9d2&oauth_token=kkk9d7dh3k39sjv7&oauth_signature_method=HMAC-SHA1' +
      '&oauth_timestamp=137131201&oauth_nonce=7d8f3e4a&c2=&a3=2+q',
  )
  expect(signatureBase('post', 'http://EXAMPLE.com:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b', given)).toBe(
    'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2' +
      '%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1' +
      '%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
  )
})

const SECRET = 'kd94hf93k423kf44'
const EXAMPLES: readonly (readonly [
  step: string,
  method: string,
  url: string,
  more: string,
  tokenSecret: string,
  signature: string,
])[] = [
  [
    'the request for a token',
    'POST',
    'https://photos.example.net/initiate',
    'oauth_timestamp=137131200&oauth_nonce=wIjqoS&oauth_callback=http%3A%2F%2Fprinter.example.com%2Fready',
    '',
    '74KNZJeDHnMBp0EMJ9ZHt/XKycU=',
  ],
  [
    'the token request',
    'POST',
    'https://photos.example.net/token',
    'oauth_token=hh5s93j4hdidpola&oauth_timestamp=137131201&oauth_nonce=walatlh&oauth_verifier=hfdp7dh39dks9884',
    'hdhd0244k9j7ao03',
    'gKgrFCywp7rO0OXSjdot/IHF7IU=',
  ],
  [
    'a call of the API',
    'GET',
    'http://photos.example.net/photos?file=vacation.jpg&size=original',
    'oauth_token=nnch734d00sl2jdk&oauth_timestamp=137131202&oauth_nonce=chapoH',
    'pfkkdhi9sl3r4s00',
    'MdpQcU8iPSUjWoN/UDMsK2sui9I=',
  ],
]

it.each(EXAMPLES)('signs %s of RFC 5849, section 1.2', (_step, method, url, more, tokenSecret, signature) => {
  const given = params(`oauth_consumer_key=dpf43f3p2l4k3l03&oauth_signature_method=HMAC-SHA1&${more}`)
  expect(hmacSha1(signatureBase(method, url, given), SECRET, tokenSecret)).toBe(signature)
})

it('puts everything but the query into the header', () => {
  const io = {
    clock: { now: () => 137_131_202_999, sleep: async () => {} },
    random: (length: number) => Buffer.alloc(length),
  }
  const keys = { clientId: 'a key', secret: 's', token: 't&', tokenSecret: 'ts' }
  const request = signRequest(io, 'GET', 'https://api.example/me?x=1', keys)
  const header = request.headers.get('authorization') ?? ''
  expect(header).toMatch(
    /^OAuth oauth_consumer_key="a%20key", oauth_nonce="a{32}", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131202", oauth_version="1.0", oauth_token="t%26", oauth_signature="[\w%]+"$/,
  )
  expect([request.method, request.url]).toEqual(['GET', 'https://api.example/me?x=1'])
})
