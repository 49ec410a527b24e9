import type { OAuth2Record } from '../oauth2/record.ts'
import { textAt } from '../profile/profile-path.ts'

/** Notion: the token reply tells who it is. Its API refuses members that it does not know, a verifier of PKCE among them. */
export const notion = {
  id: 'notion',
  name: 'Notion',
  protocol: 'oauth2',
  source: 'https://developers.notion.com/docs/authorization',
  endpoints: { authorize: 'https://api.notion.com/v1/oauth/authorize', token: 'https://api.notion.com/v1/oauth/token' },
  authorize: { names: { redirect_uri: null }, params: { owner: 'user' } },
  pkce: 'off',
  tokenRequest: { body: 'json', names: { redirect_uri: null } },
  clientAuth: 'basic',
  person: {
    uid: (profile) => {
      const [user, workspace] = [textAt(profile, 'owner.user.id'), textAt(profile, 'workspace_id')]
      return user === '' || workspace === '' ? '' : `user-${user}_workspace-${workspace}`
    },
    email: 'owner.user.person.email',
    displayName: 'owner.user.name',
  },
} satisfies OAuth2Record
