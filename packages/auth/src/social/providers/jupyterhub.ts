import type { OAuth2Record } from '../oauth2/record.ts'

/** JupyterHub. The id is the user name, by which a hub knows its people; its administrators can give it to others. */
export const jupyterhub = {
  id: 'jupyterhub',
  name: 'JupyterHub',
  protocol: 'oauth2',
  source: 'https://jupyterhub.readthedocs.io/en/stable/reference/rest-api.html',
  endpoints: {
    authorize: '{API_URL}/hub/api/oauth2/authorize',
    token: '{API_URL}/hub/api/oauth2/token',
    profile: '{API_URL}/hub/api/user',
  },
  settings: { API_URL: {} },
  person: { uid: 'name', displayName: 'name' },
} satisfies OAuth2Record
