import { type LinkProps, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

type Search = Readonly<Record<string, unknown>>

/**
 * What somebody has chosen on a page, kept in its address. It changes at once: the address follows a moment later, and
 * controls would go back to what they were meanwhile.
 * @param read  From an address, whatever stands there.
 * @param write Into the address; what is the default is left out.
 */
export function useAddressChoice<C>(
  to: NonNullable<LinkProps['to']>,
  read: (search: Search) => C,
  write: (choice: C) => Record<string, string>,
): readonly [choice: C, change: (next: C) => void] {
  const navigate = useNavigate()
  const given = read(useSearch({ strict: false }))
  const inAddress = JSON.stringify(write(given))
  const [choice, choose] = useState(given)
  const [seen, see] = useState(inAddress)
  if (seen !== inAddress) {
    see(inAddress)
    choose(given)
  }
  const change = (next: C): void => {
    choose(next)
    void navigate({ to, search: write(next), replace: true })
  }
  return [choice, change]
}
