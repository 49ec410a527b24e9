import { CSPProvider } from '@base-ui/react/csp-provider'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client.ts'
import { redirectToSignIn } from './api/session.ts'
import { applyTheme } from './frame/frame.tsx'
import { initialLanguage, LANGUAGE_TAGS, LanguageContext, storeLanguage } from './language/language.ts'
import './parts/tokens.css'
import { createConsoleRouter } from './routes.tsx'

applyTheme()
const root = document.querySelector('#app')
if (root === null) throw new Error('The page has no #app element.')
createRoot(root).render(<App />)

/** Creates a query client that retries network errors only and redirects to the sign-in page after a 401. */
function createClient(): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiError && error.status === 401) redirectToSignIn()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        // a service on this machine is reachable while the device is offline
        networkMode: 'always',
        retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status === 0),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

/** The console's root component. */
function App(): ReactNode {
  const [client] = useState(createClient)
  const [router] = useState(() => createConsoleRouter(client))
  const [language, setLanguage] = useState(initialLanguage)
  useEffect(() => {
    document.documentElement.lang = LANGUAGE_TAGS[language]
  }, [language])
  const choice = useMemo(
    () => ({
      language,
      change: (next: typeof language) => {
        storeLanguage(next)
        setLanguage(next)
      },
    }),
    [language],
  )
  return (
    <CSPProvider disableStyleElements>
      <LanguageContext value={choice}>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </LanguageContext>
    </CSPProvider>
  )
}
