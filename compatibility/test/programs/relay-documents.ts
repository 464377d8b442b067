/** The documents of the Relay program. Only the compiler reads them. */
import { graphql } from 'relay-runtime';

export const documents = [
  graphql`
    query documentsPostsQuery($first: Int!, $after: String) {
      posts_connection(first: $first, after: $after, order_by: { title: desc }) @connection(key: "documents_posts_connection") {
        edges { cursor node { id title body author { id name } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  `,
  graphql`
    query documentsNodeQuery($id: ID!) {
      node(id: $id) { __typename id ... on posts { title ...documents_post @alias } }
    }
  `,
  graphql`
    fragment documents_post on posts { published author { posts_connection(last: 1) { edges { node { title } } } } }
  `,
  graphql`
    mutation documentsRenameMutation($where: posts_bool_exp!, $title: String!) {
      update_posts(where: $where, _set: { title: $title }) { affected_rows returning { id title } }
    }
  `,
  graphql`
    subscription documentsTitlesSubscription($id: ID!) {
      node(id: $id) { id ... on posts { title } }
    }
  `,
];
