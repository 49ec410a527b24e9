import { type LinkProps, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

type Search = Readonly<Record<string, unknown>>

/**
 * Returns state kept in the URL. It changes immediately; the URL follows a moment later, and controls would otherwise
 * flicker back.
 * @param read Parses the URL, which may hold anything.
 * @param write Returns the search parameters, without defaults.
 */
export function useSearchState<C>(
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
