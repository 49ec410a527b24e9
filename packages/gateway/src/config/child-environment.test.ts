import { expect, it } from 'vitest'
import { childEnvironment } from './child-environment.ts'

const OURS = {
  PATH: '/bin',
  Path: 'C:\\Windows',
  HOME: '/home/ada',
  LC_ALL: 'C.UTF-8',
  GATEPOST_SECRET_KEY: 'hidden',
  AWS_SECRET_ACCESS_KEY: 'hidden',
  EMAIL_HOST_PASSWORD: 'hidden',
  ACCOUNT_X: 'hidden',
  NODE_OPTIONS: '--inspect',
  HTTPS_PROXY: 'http://user:hidden@proxy',
  OPENAI_API_KEY: 'for the program',
}

it('gives a program nothing but the basics', () => {
  const given = childEnvironment(OURS)
  expect(Object.keys(given)).toEqual(['PATH', 'Path', 'HOME', 'LC_ALL'])
})

it('gives a program what the operator names', () => {
  expect(childEnvironment(OURS, ['OPENAI_API_KEY', 'UNSET'])).toMatchObject({ OPENAI_API_KEY: 'for the program' })
  expect(childEnvironment(OURS, ['OPENAI_API_KEY'])).not.toHaveProperty('EMAIL_HOST_PASSWORD')
})
